/* Angles by tangents, for a file that has angle_of(j, t): j pi / 4 and the arc tangent of t, a number of
 * at most tan(pi / 8). */

static inline double atan_of(double x)
{
    double a = fabs(x);
    double over = a <= TAN_PI_8 ? a : a <= TAN_3_PI_8 ? a - 1 : -1;
    double under = a <= TAN_PI_8 ? 1 : a <= TAN_3_PI_8 ? a + 1 : a;
    return copysign(angle_of(a <= TAN_PI_8 ? 0 : a <= TAN_3_PI_8 ? 1 : 2, over / under), x);
}

static inline double atan2_of(double y, double x)
{
    hr_angle_parts p = angle_parts(y, x);
    return copysign(angle_of(p.j, p.t), y);
}
