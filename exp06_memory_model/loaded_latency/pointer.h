// The plain chase: a latency that has no arithmetic in it, beside which the others' can be read.
#pragma once

#include <vector>

#include "core/experiment.h"
#include "load.h"

// One thread follows addresses through a table of point.table_bytes, whose lines are visited as pointer_line() says.
bench::Prepared set_up_pointer(bench::Workbench& bench, const Point& point);
