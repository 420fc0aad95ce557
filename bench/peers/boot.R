# R's boot package on all cores: Rscript boot.R --workload NAME --seconds S. Prints what
# harness.py prints for the peers in Python; the sizes are those of workloads.py.

suppressPackageStartupMessages(library(boot))

arguments <- commandArgs(trailingOnly = TRUE)
option <- function(name, default) {
    at <- match(name, arguments)
    if (is.na(at)) default else arguments[at + 1]
}
workload <- option("--workload", NA)
seconds <- as.numeric(option("--seconds", "3"))

resampled_mean <- function(data, i) mean(data[i])
workloads <- list(
    binary_mean_5e6 = list(rows = 5e6, law = "binary", statistic = resampled_mean),
    mean_5e6 = list(rows = 5e6, statistic = resampled_mean),
    mean_5e6_f32 = list(rows = 5e6, statistic = resampled_mean),
    mean_1e5 = list(rows = 1e5, statistic = resampled_mean),
    mean_1e3 = list(rows = 1e3, statistic = resampled_mean),
    mean_15 = list(rows = 15, statistic = resampled_mean),
    median_5e6 = list(rows = 5e6, statistic = function(data, i) median(data[i])),
    variance_1e6 = list(rows = 1e6, statistic = function(data, i) var(data[i])),
    correlation_1e6 = list(
        rows = 1e6, columns = 1,
        statistic = function(data, i) cor(data[i, 1], data[i, 2])
    ),
    regression5_1e6 = list(
        rows = 1e6, columns = 5,
        statistic = function(data, i) {
            x <- cbind(1, data[i, -ncol(data)])
            solve(crossprod(x), crossprod(x, data[i, ncol(data)]))
        }
    )
)
work <- workloads[[workload]]
if (is.null(work)) stop("boot.R has no workload ", workload)

set.seed(1)
data <- if (identical(work$law, "binary")) {
    as.numeric(runif(work$rows) < 0.05)
} else if (is.null(work$columns)) {
    rnorm(work$rows)
} else {
    x <- matrix(rnorm(work$rows * work$columns), work$rows)
    cbind(x, rowSums(x) + rnorm(work$rows))
}

cores <- parallel::detectCores()
# simple: indices are drawn replicate by replicate; otherwise all are held at once, which is
# faster for short data and impossible for long.
run <- function(replicates) {
    start <- proc.time()[["elapsed"]]
    boot(data, work$statistic,
        R = replicates, simple = work$rows > 1e4,
        parallel = "multicore", ncpus = cores
    )
    proc.time()[["elapsed"]] - start
}

target <- seconds / 3
replicates <- 2 * cores
took <- run(replicates)
while ((took <- run(replicates)) < target / 2) {
    growth <- min(20, target / max(took, 1e-3))
    replicates <- max(round(replicates * growth), replicates + 1)
}
best <- min(took, run(replicates), run(replicates))

cat(sprintf(
    paste0(
        '{"workload": "%s", "rows": %.0f, "replicates": %.0f, "seconds": %.6f, "rate": %.6g, ',
        '"path": "boot", "simd": null, "threads": %d, "version": "R %s.%s, boot %s"}\n'
    ),
    workload, work$rows, replicates, best, work$rows * replicates / best, cores,
    R.version$major, R.version$minor, packageVersion("boot")
))
