/* The polynomials of the math kernels. Written by tools/fit_math.py; edit that. */
#ifndef HR_KERNELS_MATH_FIT_H
#define HR_KERNELS_MATH_FIT_H

/* (e^x - 1 - x) / x^2; weighted error below 2^-33 */
static inline double hr__fit_exp_short(double x)
{
    return 0x1.000000329124ep-1 +
           x * (0x1.555555910ad20p-3 +
           x * (0x1.55549964bef28p-5 +
           x * (0x1.11108554a0013p-7 +
           x * (0x1.6d84cca666aecp-10 +
           x * (0x1.a1ae14b851b80p-13)))));
}

/* (e^x - 1 - x) / x^2; weighted error below 2^-57 */
static inline double hr__fit_exp(double x)
{
    return 0x1.0000000000005p-1 +
           x * (0x1.555555555555dp-3 +
           x * (0x1.5555555551e58p-5 +
           x * (0x1.111111110e2bdp-7 +
           x * (0x1.6c16c1802718cp-10 +
           x * (0x1.a01a01b73e05ep-13 +
           x * (0x1.a019a38189ba3p-16 +
           x * (0x1.71dde6f4f86aap-19 +
           x * (0x1.28a5abe97732dp-22 +
           x * (0x1.af7b5fe556043p-26)))))))));
}

/* (ln((1 + s) / (1 - s)) - 2 s) / s^3, of s^2; weighted error below 2^-36 */
static inline double hr__fit_log_short(double x)
{
    return 0x1.5555550e034a7p-1 +
           x * (0x1.999a63ab5b5e7p-2 +
           x * (0x1.243da0b6f56f0p-2 +
           x * (0x1.e2574761372aep-3)));
}

/* (ln((1 + s) / (1 - s)) - 2 s) / s^3, of s^2; weighted error below 2^-58 */
static inline double hr__fit_log(double x)
{
    return 0x1.5555555555572p-1 +
           x * (0x1.9999999988a46p-2 +
           x * (0x1.2492493b33b66p-2 +
           x * (0x1.c71c56f02f802p-3 +
           x * (0x1.746553c08379dp-3 +
           x * (0x1.39b7b1046be1ep-3 +
           x * (0x1.2e3629596bc17p-3))))));
}

/* (ln((1 + s) / (1 - s)) 3 / (2 s) - 3 - s^2) / s^4, of s^2; weighted error below 2^-71 */
static inline double hr__fit_pow(double x)
{
    return 0x1.3333333333333p-1 +
           x * (0x1.b6db6db6dbc59p-2 +
           x * (0x1.55555554c2c66p-2 +
           x * (0x1.1745d1df7de27p-2 +
           x * (0x1.d89d362416b20p-3 +
           x * (0x1.99ac5e38de3f2p-3 +
           x * (0x1.66fe9874e0cd0p-3 +
           x * (0x1.6da414b6ef5bbp-3)))))));
}

/* (sin x - x) / x^3, of x^2; weighted error below 2^-37 */
static inline double hr__fit_sin_short(double x)
{
    return -0x1.5555554d83609p-3 +
           x * (0x1.11110900de2dfp-7 +
           x * (-0x1.a00fe18770c05p-13 +
           x * (0x1.6ce5c91862e91p-19)));
}

/* (sin x - x) / x^3, of x^2; weighted error below 2^-57 */
static inline double hr__fit_sin(double x)
{
    return -0x1.555555555554bp-3 +
           x * (0x1.111111110fb90p-7 +
           x * (-0x1.a01a019c63215p-13 +
           x * (0x1.71de35b49a109p-19 +
           x * (-0x1.ae5e906ccc8c9p-26 +
           x * (0x1.5d9e0a8bab735p-33)))));
}

/* (cos x - 1 + x^2 / 2) / x^4, of x^2; weighted error below 2^-32 */
static inline double hr__fit_cos_short(double x)
{
    return 0x1.55554da27e55bp-5 +
           x * (-0x1.6c0e0fda97decp-10 +
           x * (0x1.9a63554b85ce2p-16));
}

/* (cos x - 1 + x^2 / 2) / x^4, of x^2; weighted error below 2^-63 */
static inline double hr__fit_cos(double x)
{
    return 0x1.5555555555554p-5 +
           x * (-0x1.6c16c16c16225p-10 +
           x * (0x1.a01a019e3631dp-16 +
           x * (-0x1.27e4f91146a33p-22 +
           x * (0x1.1eea94c2a32c4p-29 +
           x * (-0x1.9001787cad990p-37)))));
}

/* (asin x - x) / x^3, of x^2; weighted error below 2^-35 */
static inline double hr__fit_asin_short(double x)
{
    return 0x1.555555a032a45p-3 +
           x * (0x1.3332ddfcc93fbp-4 +
           x * (0x1.6dd16a7e90983p-5 +
           x * (0x1.ee28925bdbc6cp-6 +
           x * (0x1.8ea7e9d0a4e57p-6 +
           x * (0x1.0f1cf00581857p-7 +
           x * (0x1.14e505e0d3659p-5))))));
}

/* (asin x - x) / x^3, of x^2; weighted error below 2^-59 */
static inline double hr__fit_asin(double x)
{
    return 0x1.555555555555ap-3 +
           x * (0x1.3333333331824p-4 +
           x * (0x1.6db6db6fbecddp-5 +
           x * (0x1.f1c71b6268097p-6 +
           x * (0x1.6e8bc9dd55c9cp-6 +
           x * (0x1.1c4b51c5e0e74p-6 +
           x * (0x1.ca005d0f5fb9dp-7 +
           x * (0x1.767749e2f9383p-7 +
           x * (0x1.5c32ff273bae3p-7 +
           x * (0x1.17574543d1de1p-8 +
           x * (0x1.4e673a9e08576p-6 +
           x * (-0x1.3b1f919649016p-6 +
           x * (0x1.02922a545497dp-5))))))))))));
}

/* (atan x - x) / x^3, of x^2; weighted error below 2^-34 */
static inline double hr__fit_atan_short(double x)
{
    return -0x1.5555551ccc059p-2 +
           x * (0x1.99994a230cf2bp-3 +
           x * (-0x1.2483a200dd9c6p-3 +
           x * (0x1.c4cd8021c1b9fp-4 +
           x * (-0x1.5d486398befc5p-4 +
           x * (0x1.8ca13b8e3396ep-5)))));
}

/* (atan x - x) / x^3, of x^2; weighted error below 2^-58 */
static inline double hr__fit_atan(double x)
{
    return -0x1.5555555555552p-2 +
           x * (0x1.9999999998351p-3 +
           x * (-0x1.24924923a4eddp-3 +
           x * (0x1.c71c713f5f1a7p-4 +
           x * (-0x1.745d02315a752p-4 +
           x * (0x1.3b11b4793ed94p-4 +
           x * (-0x1.10f2360029b77p-4 +
           x * (0x1.df6895b93ed49p-5 +
           x * (-0x1.9e508f0352bf7p-5 +
           x * (0x1.3b717a5338e92p-5 +
           x * (-0x1.2cf726b061df1p-6))))))))));
}

/* (sinh x - x) / x^3, of x^2; weighted error below 2^-33 */
static inline double hr__fit_sinh_short(double x)
{
    return 0x1.5555551ba82f5p-3 +
           x * (0x1.11113504a94f3p-7 +
           x * (0x1.9ffe826495bb4p-13 +
           x * (0x1.7a18cc6c55c37p-19)));
}

/* (sinh x - x) / x^3, of x^2; weighted error below 2^-63 */
static inline double hr__fit_sinh(double x)
{
    return 0x1.5555555555556p-3 +
           x * (0x1.11111111110adp-7 +
           x * (0x1.a01a01a0280b6p-13 +
           x * (0x1.71de3a46b133dp-19 +
           x * (0x1.ae6466e4c8ecap-26 +
           x * (0x1.611a675bb93bap-33 +
           x * (0x1.b4c30017eb974p-41))))));
}

/* (tanh x - x) / x^3, of x^2; weighted error below 2^-34 */
static inline double hr__fit_tanh_short(double x)
{
    return -0x1.555555184c849p-2 +
           x * (0x1.1110e9c260d7bp-3 +
           x * (-0x1.ba0c967bc75dcp-5 +
           x * (0x1.65090057e8038p-6 +
           x * (-0x1.148a8bf892342p-7 +
           x * (0x1.3d9d549c8db8dp-9)))));
}

/* (tanh x - x) / x^3, of x^2; weighted error below 2^-60 */
static inline double hr__fit_tanh(double x)
{
    return -0x1.5555555555554p-2 +
           x * (0x1.1111111110d13p-3 +
           x * (-0x1.ba1ba1b9c2b55p-5 +
           x * (0x1.664f48674ad35p-6 +
           x * (-0x1.226e30b245a45p-7 +
           x * (0x1.d6d2d7ebc8e0fp-9 +
           x * (-0x1.7d92a8d8e338ap-10 +
           x * (0x1.34999daa34bc0p-11 +
           x * (-0x1.ea433b9a9f299p-13 +
           x * (0x1.5fb5ae8ee3b73p-14 +
           x * (-0x1.4c65097df942dp-16))))))))));
}

#endif
