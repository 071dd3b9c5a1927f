/* Gamma and beta distributions in both precisions. Sources: Marsaglia and Tsang, "A simple method
 * for generating gamma variables", ACM TOMS 26, 2000; the order of draws and of roundings is the
 * peer's. */
#include "rng/rng.h"

#include <math.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#define REAL float
#define M(name) name##f
#define T(name) name##_f32
#include "rng/gamma_tmpl.h"
#undef REAL
#undef M
#undef T

#define REAL double
#define M(name) name
#define T(name) name##_f64
#include "rng/gamma_tmpl.h"
