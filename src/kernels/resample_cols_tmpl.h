/* The horizontal pass, for a file that has rows_to_lines, cols_of_pixel and lines_to_rows: a chunk of
 * output pixels at a time, LANES rows beside each other. COLS: the kernel's name; LINE, WEIGHT, OUT:
 * the types of the lines, the weights and the results. */

void HR_K(COLS)(const hr_resample_cols *job)
{
    const WEIGHT *weight = job->weight;
    const int64_t c = job->channels;
    for (int64_t x0 = 0; x0 < job->n; x0 += job->chunk) {
        int64_t x1 = x0 + job->chunk < job->n ? x0 + job->chunk : job->n;
        int64_t a = job->index[x0], b = job->index[x1 - 1];
        int64_t first = a < b ? a : b, last = (a < b ? b : a) + job->taps;
        rows_to_lines(job, first * c, (last - first) * c);
        const LINE *lines = job->lines;
        OUT *out = job->out_lines;
        for (int64_t x = x0; x < x1; x++)
            cols_of_pixel(out + (x - x0) * c * LANES,
                          lines + (job->index[x] - first) * c * LANES,
                          weight + x * job->taps, job);
        lines_to_rows(job, x0 * c, (x1 - x0) * c);
    }
}
