/* EXIF orientation: read from a TIFF block, and pixels turned by it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/codec/codec.h"

#include "draw.h"

static size_t make_tiff(uint8_t *out, int orientation, int big)
{
    static const uint8_t little_block[26] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1,
                                             0,   0,   0,  0, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t big_block[26] = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0,
                                          0,   0,   1, 0,  0, 0, 0, 0, 0, 0, 0};
    memcpy(out, big ? big_block : little_block, 26);
    out[big ? 19 : 18] = (uint8_t)orientation;
    return 26;
}

static void test_exif(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++)
        for (int o = 0; o < 256; o++) {
            uint8_t block[26];
            size_t size = make_tiff(block, o, big);
            int expected = o >= 1 && o <= 8 ? o : 1;
            assert_int_equal(hr__exif_orientation(block, size), expected);
            for (size_t n = 0; n < 22; n++) { /* cut before the entry's end */
                uint8_t *cut = malloc(n + 1);
                memcpy(cut, block, n);
                assert_int_equal(hr__exif_orientation(cut, n), 1);
                free(cut);
            }
        }
}

/* Any 26 bytes are read without harm. */
static void test_exif_noise(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int n = 0; n < 20000; n++) {
        uint8_t *block = malloc(26);
        make_tiff(block, 6, n & 1);
        for (int i = 0; i < 3; i++) block[2 + draw(&seed) % 24] = (uint8_t)draw(&seed);
        int o = hr__exif_orientation(block, 26);
        assert_true(o >= 1 && o <= 8);
        free(block);
    }
}

/* Where pixel (x, y) of a stored w x h picture goes: EXIF 2.3, "Orientation", told as row and
 * column of the 0th row and 0th column. */
static void upright_of(int o, int x, int y, int w, int h, int *ux, int *uy)
{
    int right = w - 1 - x, bottom = h - 1 - y;
    const int to_x[9] = {0, x, right, right, x, y, bottom, bottom, y};
    const int to_y[9] = {0, y, y, bottom, bottom, x, x, right, right};
    *ux = to_x[o];
    *uy = to_y[o];
}

static void test_orient(void **state)
{
    (void)state;
    enum { W = 7, H = 5 };
    static const size_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
    for (int o = 1; o <= 8; o++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t size = sizes[s];
            uint8_t src[W * H * 16], dst[W * H * 16];
            for (size_t i = 0; i < W * H * size; i++) src[i] = (uint8_t)(i * 37 >> (i & 3));
            hr__orient at = hr__orient_of(o, W, H);
            for (int y = 0; y < H; y += 2) { /* strips of 2 rows */
                hr__strip strip = {.rows = src + (size_t)y * W * size, .y = y,
                                   .n = H - y < 2 ? 1 : 2, .w = W, .pixel_size = size};
                hr__orient_place(dst, &at, &strip);
            }
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++) {
                    int ux, uy, stride = o >= 5 ? H : W;
                    upright_of(o, x, y, W, H, &ux, &uy);
                    assert_memory_equal(dst + (size_t)(uy * stride + ux) * size,
                                        src + (size_t)(y * W + x) * size, size);
                }
        }
}

static void test_orient_region(void **state)
{
    (void)state;
    for (int o = 1; o <= 8; o++) {
        hr_rect up = {1, 2, 3, 2}, r = hr__orient_region(o, up, 9, 8);
        int ax, ay, bx, by;
        upright_of(o, (int)r.x, (int)r.y, 9, 8, &ax, &ay);
        upright_of(o, (int)(r.x + r.w - 1), (int)(r.y + r.h - 1), 9, 8, &bx, &by);
        assert_int_equal(ax < bx ? ax : bx, 1);
        assert_int_equal(ay < by ? ay : by, 2);
        assert_int_equal(ax < bx ? bx : ax, 3);
        assert_int_equal(ay < by ? by : ay, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exif),
        cmocka_unit_test(test_exif_noise),
        cmocka_unit_test(test_orient),
        cmocka_unit_test(test_orient_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
