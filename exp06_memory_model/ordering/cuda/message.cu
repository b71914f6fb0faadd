// message_flag_*, message_payload_*: see message.cuh.
#include "message.cuh"

MESSAGES(gpu, )
MESSAGES(sys, )
