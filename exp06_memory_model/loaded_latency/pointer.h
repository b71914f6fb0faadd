// The plain chase: a latency that has no arithmetic in it, beside which the others' can be read.
#pragma once

#include <vector>

#include "core/experiment/experiment.h"
#include "load.h"

// A table of point.table_bytes, each of whose lines holds the address of the next as pointer_line() says. The device itself
// makes it, for only it knows its addresses.
bench::Buffer& linked_table(bench::Workbench& bench, const Point& point);

// One thread follows addresses through that table.
bench::Prepared set_up_pointer(bench::Workbench& bench, const Point& point);
