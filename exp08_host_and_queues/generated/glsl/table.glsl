// The table of jobs, by its address.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "params.h"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Table {
  uint count;
  uint unused[3];
  Sequence sequences[];
};

Table table_of(TableAddress table) { return Table(uvec2(table.low, table.high)); }
