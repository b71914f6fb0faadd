// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP06_BYTES_IN_FLIGHT_PARAMS_H
#define EXP06_BYTES_IN_FLIGHT_PARAMS_H

#include "../tiles.h"

#endif
