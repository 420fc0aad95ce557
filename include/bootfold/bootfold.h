// bootfold/bootfold.h: all of bootfold.
#pragma once

#include "bootfold/bootstrap.h"
#include "bootfold/compare.h"
#include "bootfold/data.h"
#include "bootfold/error.h"
#include "bootfold/exact.h"
#include "bootfold/execution.h"
#include "bootfold/influence.h"
#include "bootfold/interval.h"
#include "bootfold/labels.h"
#include "bootfold/plan.h"
#include "bootfold/precision.h"
#include "bootfold/random.h"
#include "bootfold/resample.h"
#include "bootfold/scheme.h"
#include "bootfold/statistic.h"
#include "bootfold/version.h"
