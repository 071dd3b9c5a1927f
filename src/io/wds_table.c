/* The samples that a reader of tar archives gives. */
#include <string.h>
#include <strings.h>

#include "io/grow.h"
#include "io/wds_table.h"

/* Archives that stay open; others are opened anew for each sample. */
enum { MAX_OPEN = 128 };

static hr_status fail_memory(hr_error *err)
{
    return hr_fail(err, HR_NOMEM, "no memory for the list of samples");
}

const char *hr__wds_text(const hr__wds_table *t, uint32_t place)
{
    return hr__file_table_string(&t->text, place);
}

static int is_match(const hr__wds_table *t, const hr__wds_output *o, const char *ext)
{
    for (const char *name = o->names; *name; name += strlen(name) + 1)
        if (!(t->ignores_case ? strcasecmp(name, ext) : strcmp(name, ext))) return 1;
    return 0;
}

static hr_status add_sample(hr__wds_table *t, const hr__wds_row *from, hr_error *err)
{
    void *more = hr__grow(t->rows, &t->room, t->n, sizeof *t->rows);
    if (!more) return fail_memory(err);
    t->rows = more;
    size_t n_out = (size_t)t->n_out;
    more = hr__grow(t->members, &t->room_members, (t->n + 1) * n_out - 1, sizeof *t->members);
    if (!more) return fail_memory(err);
    t->members = more;
    for (size_t k = 0; k < n_out; k++) t->members[t->n * n_out + k] = (hr__wds_member){.size = -1};
    t->rows[t->n++] = *from;
    return HR_OK;
}

static hr_status add_damage(hr__wds_table *t, int32_t shard, const hr_error *why,
                            hr_skip_reason reason, hr_error *err)
{
    hr__wds_row damaged = {.shard = shard, .reason = reason};
    HR_TRY(hr__file_table_text(&t->text, why->message, strlen(why->message), &damaged.text, err));
    return add_sample(t, &damaged, err);
}

static hr_status fail_missing(const hr__wds_table *t, const hr__wds_sample *from,
                              const hr__wds_output *o, int32_t shard, hr_error *err)
{
    char shown[HR__PATH_SHOWN], key[HR__PATH_SHOWN];
    return hr_fail(err, HR_DATA, "%s: sample \"%s\" has no member with the extension \"%s\"",
                   hr__path_show(shown, hr__wds_text(t, t->paths[shard])),
                   hr__path_show(key, hr__wds_text(t, from->key)), o->names);
}

/* Finds each output's part; what is missing is treated as asked. */
static hr_status take_sample(hr__wds_table *t, const hr__wds_list *l,
                             const hr__wds_sample *from, int32_t shard, hr_error *err)
{
    int missing = 0;
    HR_TRY(add_sample(t, &(hr__wds_row){.shard = shard, .text = from->key}, err));
    hr__wds_member *members = &t->members[(t->n - 1) * (size_t)t->n_out];
    for (int k = 0; k < t->n_out; k++) {
        for (int64_t i = from->first; i >= 0 && members[k].size < 0; i = l->parts[i].next) {
            const hr__wds_part *p = &l->parts[i];
            if (is_match(t, &t->outputs[k], hr__wds_text(t, p->ext)))
                members[k] = (hr__wds_member){p->offset, p->size, p->name, p->flags};
        }
        if (members[k].size >= 0) continue;
        missing = 1;
        if (t->missing == HR__WDS_MISSING_ERROR)
            return fail_missing(t, from, &t->outputs[k], shard, err);
    }
    if (missing && t->missing == HR__WDS_MISSING_SKIP) t->n--;
    return HR_OK;
}

static hr_status take_list(hr__wds_table *t, const hr__wds_list *l, int32_t shard,
                           hr_error *err)
{
    for (size_t i = 0; i < l->n_samples; i++)
        HR_TRY(take_sample(t, l, &l->samples[i], shard, err));
    if (l->damage.status != HR_OK) return add_damage(t, shard, &l->damage, HR_SKIP_DAMAGED, err);
    return HR_OK;
}

static hr_status list_shard(hr__wds_table *t, const hr_strs *index_paths, int32_t i,
                            hr_skip_reason *reason, hr_error *err)
{
    hr__range_file *f = &t->shards[i];
    HR_TRY(hr__range_open(f, hr__wds_text(t, t->paths[i]), reason, err));
    hr__wds_list list = {.text = &t->text};
    *reason = f->size ? HR_SKIP_DAMAGED : HR_SKIP_EMPTY;
    hr_status status = index_paths->n > 0
                           ? hr__wds_read_index(&list, index_paths->v[i], f, err)
                           : hr__wds_walk(&list, f, err);
    if (status == HR_OK) {
        *reason = HR_SKIP_NONE;
        status = take_list(t, &list, i, err);
    }
    hr__wds_list_clear(&list);
    if (i >= MAX_OPEN) hr__range_close(f);
    return status;
}

/* With on_error="skip" an archive that cannot be listed counts as one item that is left out. */
hr_status hr__wds_table_fill(hr__wds_table *t, const hr_strs *index_paths, hr_error *err)
{
    for (int32_t i = 0; i < t->n_shards; i++) {
        hr_skip_reason reason = HR_SKIP_NONE;
        hr_error why = {0};
        hr_status status = list_shard(t, index_paths, i, &reason, &why);
        if (status == HR_OK) continue;
        if (t->skips && reason != HR_SKIP_NONE && (status == HR_IO || status == HR_DATA)) {
            HR_TRY(add_damage(t, i, &why, reason, err));
            continue;
        }
        if (err) *err = why;
        return status;
    }
    if (t->n > 0) return HR_OK;
    return hr_fail(err, HR_VALUE, "there are no samples in the %d archives: no file in them whose "
                   "name has a dot%s", t->n_shards,
                   t->missing == HR__WDS_MISSING_SKIP ? ", or none with all extensions" : "");
}

void hr__wds_table_clear(hr__wds_table *t)
{
    for (int k = 0; k < t->n_out; k++) hr_free(t->outputs[k].names);
    for (int i = 0; i < t->n_shards; i++) hr__range_close(&t->shards[i]);
    hr_free(t->shards);
    hr_free(t->paths);
    hr_free(t->rows);
    hr_free(t->members);
    hr__file_table_clear(&t->text);
    *t = (hr__wds_table){0};
}
