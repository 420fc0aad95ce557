# R's boot package on the corners: Rscript corners.R FOLDER. Reads FOLDER/<data>.csv and writes
# FOLDER/corners.csv: a name, a value, and its Monte Carlo error (0: there is none).

suppressPackageStartupMessages(library(boot))
folder <- commandArgs(trailingOnly = TRUE)[1]
set.seed(20240601)
lines <- character()
put <- function(name, value, error = 0) {
    lines[[length(lines) + 1]] <<- sprintf("%s,%.17g,%.17g", name, value, error)
}
read <- function(name) read.csv(file.path(folder, paste0(name, ".csv")))
# Monte Carlo error of a standard deviation.
doubt <- function(t) {
    kurtosis <- mean((t - mean(t))^4) / mean((t - mean(t))^2)^2
    sd(t) * sqrt((kurtosis - 1) / (4 * length(t)))
}

# Clusters that two groups share, drawn once for both: rows and sums of each group by cluster.
days <- read("days")
sums <- sapply(split(days, days$day), function(d) {
    c(sum(d$x[d$airport == 0]), sum(d$airport == 0), sum(d$x[d$airport == 1]), sum(d$airport == 1))
})
found <- boot(t(sums), function(d, i) {
    s <- colSums(d[i, ])
    s[3] / s[4] - s[1] / s[2]
}, R = 20000)
put("shared clusters", sd(found$t), doubt(found$t))

# Two values: resamples with as many of one as of the other have variances whose standard error is 0.
two <- read("two_values")$x
variance <- function(d, i) {
    x <- d[i]
    n <- length(x)
    square <- (x - mean(x))^2
    c(var(x), mean((square - mean(square))^2) / n * (n / (n - 1))^2)
}
found <- boot(two, variance, R = 100000)
limits <- tail(suppressWarnings(boot.ci(found, type = "stud"))$student[1, ], 2)
put("two values low", limits[1])
put("two values high", limits[2])

law <- as.matrix(read("law"))
limits <- abc.ci(law, function(d, w) corr(d, w))
put("abc low", limits[2])
put("abc high", limits[3])
writeLines(lines, file.path(folder, "corners.csv"))
