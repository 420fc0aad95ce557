"""The median waiting time of a table of Spark.

    python examples/engines/spark_quantiles.py

Runs in this process with two threads, unless a session with another master is active.
"""

import os
import sys

from pyspark.sql import SparkSession

import bootfold as bf


def main():
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    waits = spark.range(200_000).selectExpr("-ln(rand(7)) * 12 as minutes", "id % 2 as open")
    result = bf.bootstrap(waits.filter("open = 1"), "median", columns="minutes", seed=7)
    low, high = result.interval("percentile", confidence=0.95)
    print(f"median {result.estimate:.3f} minutes, 95 % interval {low:.3f} to {high:.3f}")
    spark.stop()


if __name__ == "__main__":
    main()
