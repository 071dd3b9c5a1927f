/* Operator calls that fail: sample and file are named, failed samples stay marked, no memory. */
#include "call_fixture.h"

#include <string.h>

static void test_errors_name_sample_and_file(void **state)
{
    (void)state;
    hr_batch *in = NULL, *out = NULL;
    static const char *const files[] = {"good.jpg", "bad.jpg"};
    assert_int_equal(hr_batch_create(&in, 2, NULL), HR_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hr_tensor_create(&in->t[i], HR_U8, 1, (int64_t[]){4}, NULL), HR_OK);
        memcpy(in->t[i].data, "oops", 4);
        in->t[i].meta = hr_meta_create(files[i], NULL);
    }
    assert_int_equal(hr_batch_seal(in, NULL), HR_OK);
    hr_input input = input_of(in);
    hr_error err = {0};
    assert_int_equal(
        hr_op_call(op_named("decoders.image"), &input, 1, NULL, 0, NULL, &out, &err), HR_DATA);
    assert_int_equal(err.sample, 0);
    assert_non_null(strstr(err.message, "decoders.image: sample 0 (good.jpg): "));
    hr_batch_unref(&in);
}

static void test_failed_samples_stay_marked(void **state)
{
    (void)state;
    hr_batch *in = make_pictures(3, 3, 2, 1), *out = NULL;
    in->t[1].meta = hr_meta_create("bad.jpg", "cut short");
    in->t[2].meta = hr_meta_create("good.jpg", NULL);
    hr_input input = input_of(in);
    assert_int_equal(hr_op_call(op_named("flip"), &input, 1, NULL, 0, NULL, &out, NULL), HR_OK);
    assert_null(out->t[0].meta);
    assert_string_equal(out->t[1].meta->failure, "cut short");
    assert_string_equal(out->t[2].meta->source, "good.jpg");
    for (int k = 0; k < 4 * 2 * 3; k++) assert_int_equal(((uint8_t *)out->t[1].data)[k], 0);
    assert_int_equal(((uint8_t *)out->t[2].data)[0], (uint8_t)(3 * 7 + 2));
    hr_batch_unref(&in);
    assert_string_equal(out->t[1].meta->source, "bad.jpg"); /* outlives the input */
    hr_batch_unref(&out);
}

/* Each allocation of a call fails once: MemoryError's status, and nothing left behind. */
static void check_without_memory(const char *name, const hr_named *values, int n_values)
{
    hr_batch *in = make_pictures(3, 5, 6, 1), *out = NULL;
    hr_input input = input_of(in);
    uint64_t before = live_blocks();
    hr_status status = HR_NOMEM;
    int nth = 0;
    while (status != HR_OK && nth < 100) {
        hr_error err = {0};
        hr_alloc_fail_at((uint64_t)++nth);
        status = hr_op_call(op_named(name), &input, 1, values, n_values, NULL, &out, &err);
        hr_alloc_fail_at(0);
        if (status == HR_OK) break;
        assert_int_equal(status, HR_NOMEM);
        assert_int_equal(err.status, HR_NOMEM);
        assert_null(out);
        assert_in_range(live_blocks(), before, before + 6); /* the arena, the defaults */
    }
    assert_int_equal(status, HR_OK);
    hr_batch_unref(&out);
    before = live_blocks();
    assert_int_equal(hr_op_call(op_named(name), &input, 1, values, n_values, NULL, &out, NULL),
                     HR_OK);
    hr_batch_unref(&out);
    assert_int_equal(live_blocks(), before);
    hr_batch_unref(&in);
}

static void test_without_memory(void **state)
{
    (void)state;
    const hr_named size[] = {
        {"size", {.kind = HR_VALUE_INTS, .n = 2, .u.ints = (int64_t[]){4, 4}}}};
    check_without_memory("flip", NULL, 0);
    check_without_memory("resize", size, 1);
    check_without_memory("crop_mirror_normalize", NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_memory), /* first: the arena is cold */
        cmocka_unit_test(test_errors_name_sample_and_file),
        cmocka_unit_test(test_failed_samples_stay_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
