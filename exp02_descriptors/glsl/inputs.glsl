// EACH_INPUT(f) is f(0) f(1) ... for INPUTS inputs; EACH_OTHER(f) leaves f(0) out.
#define OTHER_1(f)
#define OTHER_2(f) f(1)
#define OTHER_4(f) OTHER_2(f) f(2) f(3)
#define OTHER_8(f) OTHER_4(f) f(4) f(5) f(6) f(7)
#define OTHER_16(f) OTHER_8(f) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#if INPUTS == 1
#define EACH_OTHER(f) OTHER_1(f)
#elif INPUTS == 2
#define EACH_OTHER(f) OTHER_2(f)
#elif INPUTS == 4
#define EACH_OTHER(f) OTHER_4(f)
#elif INPUTS == 8
#define EACH_OTHER(f) OTHER_8(f)
#else
#define EACH_OTHER(f) OTHER_16(f)
#endif
#define EACH_INPUT(f) f(0) EACH_OTHER(f)
