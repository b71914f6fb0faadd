// The order in which workgroups make the tiles of C: by groups of tile rows, and within a group column by column. The twin of
// cuda/order.cuh. Workgroups that run at the same time then cover nearly a square of C, and read the least of A and B from the
// L2. A group of 0 rows: row by row, as the workgroups are numbered.
uvec2 tile_at(uint group_rows) {  // x: the tile's row, y: its column
  if (group_rows == 0) return gl_WorkGroupID.yx;
  const uint rows = gl_NumWorkGroups.y;
  const uint columns = gl_NumWorkGroups.x;
  const uint number = gl_WorkGroupID.y * columns + gl_WorkGroupID.x;
  const uint first = number / (group_rows * columns) * group_rows;
  const uint within = number % (group_rows * columns);
  const uint high = min(group_rows, rows - first);
  return uvec2(first + within % high, within / high);
}
