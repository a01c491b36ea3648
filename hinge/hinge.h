// Everything a program needs to train and use models. Including only the headers it
// needs compiles faster.
#pragma once

#include "hinge/core/context_task.h"
#include "hinge/core/error.h"
#include "hinge/core/factored_task.h"
#include "hinge/core/k_best_task.h"
#include "hinge/core/line_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/core/task.h"
#include "hinge/core/threads.h"
#include "hinge/files/output_file.h"
#include "hinge/learn/driver/check_task.h"
#include "hinge/learn/driver/train.h"
#include "hinge/learn/registry.h"
#include "hinge/model/model_file.h"
#include "hinge/pipeline/job.h"
#include "hinge/tasks/registry.h"
