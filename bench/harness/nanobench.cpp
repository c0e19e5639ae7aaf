// The one place where nanobench is compiled.
#define ANKERL_NANOBENCH_IMPLEMENT
#include <nanobench.h>
