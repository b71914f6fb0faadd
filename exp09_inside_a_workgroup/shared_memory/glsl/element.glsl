// What the kernels know of an element of 4, 8 or 16 bytes.
void make(uint e, out uint v) { v = table_word(e, 0); }
void make(uint e, out uvec2 v) { v = uvec2(table_word(e, 0), table_word(e, 1)); }
void make(uint e, out uvec4 v) { v = uvec4(table_word(e, 0), table_word(e, 1), table_word(e, 2), table_word(e, 3)); }
uint fold(uint v) { return v; }
uint fold(uvec2 v) { return v.x + 3 * v.y; }
uint fold(uvec4 v) { return v.x + 3 * v.y + 5 * v.z + 7 * v.w; }
