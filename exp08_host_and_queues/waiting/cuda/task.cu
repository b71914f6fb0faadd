// A task that the host waits for by the API's own means: see task.cuh.
#include "task.cuh"

TASK(task, false)
