# R's boot package: Rscript boot.R FOLDER. Reads FOLDER/cases.csv and FOLDER/<data>.csv; writes
# FOLDER/limits.csv, and for case number k the replicates to FOLDER/k.replicates, pivots to
# FOLDER/k.pivots (doubles).

suppressPackageStartupMessages(library(boot))

folder <- commandArgs(trailingOnly = TRUE)[1]

# On a matrix of the drawn rows. Rounded: the same rows in another order must tie.
statistics <- list(
    mean = function(d) mean(d[, 1]),
    median = function(d) median(d[, 1]),
    variance = function(d) var(d[, 1]),
    standard_deviation = function(d) sd(d[, 1]),
    `quantile:0.9` = function(d) quantile(d[, 1], 0.9, names = FALSE),
    correlation = function(d) cor(d[, 1], d[, 2]),
    ratio = function(d) mean(d[, 1]) / mean(d[, 2]),
    weighted_correlation = function(d) {
        cov.wt(d[, 1:2], d[, 3] / sum(d[, 3]), cor = TRUE)$cor[1, 2]
    },
    weighted_mean = function(d) weighted.mean(d[, 1], d[, 2]),
    # As survey::svyvar has it.
    weighted_variance = function(d) {
        n <- nrow(d)
        weighted.mean((d[, 1] - weighted.mean(d[, 1], d[, 2]))^2, d[, 2]) * n / (n - 1)
    },
    difference = function(d) mean(d[d[, 2] == 1, 1]) - mean(d[d[, 2] == 0, 1])
)
# Their variances by formula, for studentized intervals.
variances <- list(
    mean = function(d) var(d[, 1]) / nrow(d),
    variance = function(d) {
        n <- nrow(d)
        square <- (d[, 1] - mean(d[, 1]))^2
        mean((square - mean(square))^2) / n * (n / (n - 1))^2
    },
    ratio = function(d) {
        n <- nrow(d)
        rest <- d[, 1] - mean(d[, 1]) / mean(d[, 2]) * d[, 2]
        sum(rest^2) / (n - 1) / n / mean(d[, 2])^2
    }
)
kinds <- c(normal = "norm", basic = "basic", percentile = "perc", bca = "bca", studentized = "stud")
parts <- c(normal = "normal", basic = "basic", percentile = "percent", bca = "bca",
           studentized = "student")

lines <- character()
cases <- read.csv(file.path(folder, "cases.csv"), colClasses = "character")
for (k in seq_len(nrow(cases))) {
    case <- cases[k, ]
    set.seed(as.integer(case$seed))
    table <- read.csv(file.path(folder, paste0(case$data, ".csv")))
    data <- as.matrix(table[strsplit(case$columns, " ")[[1]]])
    n <- nrow(data)
    replicates <- as.integer(case$replicates)
    number <- as.integer(case$number)
    methods <- strsplit(case$methods, " ")[[1]]
    value <- statistics[[case$statistic]]
    pivotal <- "studentized" %in% methods
    scheme <- case$scheme
    both <- function(d) {
        c(round(value(d), 9), if (pivotal) variances[[case$statistic]](d))
    }
    on_rows <- function(data, i) both(data[i, , drop = FALSE])
    found <- if (scheme %in% c("moving", "circular", "stationary")) {
        tsboot(ts(data), function(x) both(as.matrix(x)), R = replicates, l = number,
               sim = if (scheme == "stationary") "geom" else "fixed", endcorr = scheme != "moving")
    } else if (scheme == "m out of n") {
        # The first m of n independent draws; the estimate has all rows.
        first <- function(data, i) {
            both(data[if (identical(i, seq_len(n))) i else i[seq_len(number)], , drop = FALSE])
        }
        fewer <- boot(data, first, R = replicates)
        # Deviations of all rows, as bootfold has them.
        fewer$t[, 1] <- fewer$t0[1] + sqrt(number / n) * (fewer$t[, 1] - fewer$t0[1])
        fewer
    } else if (scheme == "balanced") {
        boot(data, on_rows, R = replicates, sim = "balanced")
    } else if (scheme == "unequal") {
        boot(data, on_rows, R = replicates, weights = table$w)
    } else if (scheme %in% c("stratified", "two samples")) {
        boot(data, on_rows, R = replicates, strata = table$stratum)
    } else {
        boot(data, on_rows, R = replicates)
    }
    t <- found$t[, 1]
    put <- function(what, low, high) {
        lines[[length(lines) + 1]] <<- sprintf("%d,%s,%.17g,%.17g", k, what, low, high)
    }
    put("estimate", if (scheme == "unequal") NaN else found$t0[1], 0)
    put("standard error", sd(t), 0)
    if (pivotal) put("error", sqrt(found$t0[2]), 0)
    for (method in methods) {
        limits <- if (scheme == "unequal") {
            # boot.ci would weigh the replicates back to equal probabilities of rows.
            tail(boot:::perc.ci(t, 0.95)[1, ], 2)
        } else if (scheme == "m out of n" && method == "normal") {
            # Biases fall twice as fast as deviations.
            bias <- sqrt(number / n) * (mean(t) - found$t0[1])
            found$t0[1] - bias + qnorm(c(0.025, 0.975)) * sd(t)
        } else {
            # Rows deleted one by one, as bootfold has it, in place of a regression on frequencies;
            # about their mean, which empinf() leaves to do.
            rows <- NULL
            if (method == "bca") {
                strata <- if (scheme == "two samples") table$stratum else rep(1, n)
                without <- vapply(seq_len(n), function(i) value(data[-i, , drop = FALSE]), 0)
                size <- ave(rep(1, n), strata, FUN = sum)
                # Divided by the size of its sample, a row counts as SciPy's documentation has it.
                rows <- (size - 1) * (ave(without, strata) - without) / size
            }
            ci <- boot.ci(found, conf = 0.95, type = kinds[[method]], L = rows)
            tail(ci[[parts[[method]]]][1, ], 2)
        }
        put(method, limits[1], limits[2])
    }
    writeBin(t, file.path(folder, paste0(k, ".replicates")))
    if (pivotal) {
        writeBin((t - found$t0[1]) / sqrt(found$t[, 2]), file.path(folder, paste0(k, ".pivots")))
    }
}
writeLines(lines, file.path(folder, "limits.csv"))
cat(sprintf("R %s.%s, boot %s\n", R.version$major, R.version$minor, packageVersion("boot")))
