/* Body of gamma.c for one precision: REAL, T(name) and M(function) are defined by the includer. */

/* Marsaglia's polar method: a point of the unit disc gives two independent normal numbers. */
REAL T(hr__polar)(T(hr_polar) *p, hr_words *words)
{
    if (p->has_saved) {
        p->has_saved = 0;
        return p->saved;
    }
    REAL x, y, r2;
    do {
        x = 2 * T(hr__canonical)(words) - 1;
        y = 2 * T(hr__canonical)(words) - 1;
        r2 = x * x + y * y;
    } while (r2 > 1 || r2 == 0);
    REAL scale = M(sqrt)(-2 * M(log)(r2) / r2);
    p->saved = x * scale;
    p->has_saved = 1;
    return y * scale;
}

void T(hr__gamma_init)(T(hr_gamma) *g, REAL shape)
{
    g->shape = shape;
    g->shape1 = shape < 1 ? shape + 1 : shape;
    g->a1 = g->shape1 - (REAL)1 / 3;
    g->a2 = 1 / M(sqrt)(9 * g->a1);
    g->polar.has_saved = 0;
}

/* Squeeze first, then the exact test; both in double, as the peer has them. */
static int T(gamma_rejects)(const T(hr_gamma) *g, REAL n, REAL v, REAL u)
{
    double n2 = (double)n * n;
    if (!((double)u > 1.0 - 0.0331 * n * n * n * n)) return 0;
    REAL rest = g->a1 * (1 - v + M(log)(v));
    return (double)M(log)(u) > 0.5 * n2 + rest;
}

REAL T(hr__gamma)(T(hr_gamma) *g, hr_words *words)
{
    REAL n, v, u;
    do {
        do {
            n = T(hr__polar)(&g->polar, words);
            v = 1 + g->a2 * n;
        } while (!(v > 0));
        v = v * v * v;
        u = T(hr__canonical)(words);
    } while (T(gamma_rejects)(g, n, v, u));
    if (g->shape == g->shape1) return g->a1 * v;
    do u = T(hr__canonical)(words);
    while (u == 0);
    return M(pow)(u, 1 / g->shape) * g->a1 * v;
}

void T(hr__beta_init)(T(hr_beta) *d, REAL alpha, REAL beta)
{
    d->alpha = alpha;
    d->beta = beta;
    d->both_small = alpha < 1 && beta < 1;
    T(hr__gamma_init)(&d->a, d->both_small ? alpha + 1 : alpha);
    T(hr__gamma_init)(&d->b, d->both_small ? beta + 1 : beta);
}

/* Two small parameters make gamma variates that underflow: their quotient is taken from variates
 * of parameters one higher, times powers that stay logarithms until one is divided out. */
REAL T(hr__beta)(T(hr_beta) *d, hr_words *words)
{
    REAL a = T(hr__gamma)(&d->a, words);
    REAL b = T(hr__gamma)(&d->b, words);
    if (!d->both_small) return a / (a + b);
    REAL log_a = M(log)(1 - T(hr__canonical)(words)) * (d->beta / d->alpha);
    REAL log_b = M(log)(1 - T(hr__canonical)(words));
    if (log_a < log_b) {
        a *= M(exp)((log_a - log_b) / d->beta);
    } else {
        b *= M(exp)((log_b - log_a) / d->beta);
    }
    return a / (a + b);
}
