#include "web/schemas/document_shape.h"

namespace dl::web {
namespace {

constexpr Key kKeys[] = {
    // Jobs and where they stand.
    {"job", "string", "Id of the job, such as lenet5-1"},
    {"job:or_null", "string|null", "Id of the job; null if there is none"},
    {"name:of_job", "string", "Name of the job, with which its id begins"},
    {"owner", "string", "Name of the owner"},
    {"state", "JobState", "State of the job"},
    {"reason", "Reason", "Why the job is in this state; empty if the state says it"},
    {"attempt", "count", "Number of the attempt, from 1; resuming an ended job begins the next"},
    {"workers", "count", "Number of workers of the job"},
    {"seed", "count", "Seed of the job"},
    {"epoch", "count", "Number of an epoch, from 1; 0 is before the first"},
    {"epochs", "count", "Number of complete epochs"},
    {"epochs_total", "count", "Number of epochs of the whole job"},
    {"round", "count", "Number of a round, from 1; 0 is the initial state"},
    {"rounds", "count", "Number of committed rounds"},
    {"rounds_total", "count", "Number of rounds of the whole job"},
    {"examples_per_second", "number", "Examples trained per second"},
    {"wall_seconds", "number", "Time in which the job ran, over all starts of the master"},
    {"early_stopping", "EarlyStopping", "Best value so far, with early stopping"},
    {"metrics", "Metrics", "Newest figures of the training set and of the test set"},
    {"traffic", "Traffic", "Bytes that went over connections"},
    {"scheduling", "Scheduling", "How the job shares a cluster with others"},
    {"excluded", "[string]", "Executors without units of the job: another kernel contract"},
    {"excluded_for_memory", "[string]", "Executors without units of the job: too little memory"},
    {"excluded_for_labels", "[string]", "Executors without units of the job: labels are missing"},
    {"unit_memory_bytes", "count", "Memory that a unit needs at most, or that an executor has"},
    {"queue", "Queue", "Place in the queue of jobs, if the job waits in it"},
    {"rollbacks", "count", "Number of rollbacks; absent if there was none"},

    // Messages and errors.
    {"id", "string", "Id of the token"},
    {"message", "string", "What happened or will happen, as a sentence; may be empty"},
    {"remedy", "string", "What a user can do, as a sentence with commands; may be empty"},
    {"action", "Action", "The remedy as data; absent if there is none as data"},
    {"error", "Error", "What went wrong"},
    {"code", "ErrorCode", "Kind of the error"},
    {"exit_code", "count", "Exit code of the command"},
    {"findings", "[Finding]", "What the figures show, the gravest first"},
    {"warnings", "[string]", "Doubts about the data, as sentences; absent if there are none"},

    // Executors, processes and machines.
    {"executor", "string", "Name of an executor"},
    {"executors", "[string]", "Names of executors"},
    {"executor_count", "count", "Number of executors"},
    {"host", "string", "Name of a machine"},
    {"term", "count", "Number of the master's start on its data folder"},
    {"already", "boolean", "True if the process ran before"},
    {"pid", "count", "Number of the process; 0: it has ended"},
    {"slots", "count", "Number of units that are computed at a time"},
    {"version", "string", "Version of the program"},
    {"kernel_contract", "string",
     "What decides the bits of a computation; empty before it is known"},
    {"kernel_contracts", "[string]", "Kernel contracts under which a process can compute"},
    {"labels", "[string]", "Labels, each as KEY=VALUE"},
    {"daemon", "string", "Name of a process in the background"},
    {"log", "string", "Path of the log of the process"},
    {"page", "string", "Address of the pages, with a login code that is valid once"},
    {"master", "string", "Address of the master, dl://HOST:PORT"},

    // Checkpoints and files.
    {"checkpoint", "string", "Name of a checkpoint, JOB@ROUND or JOB@ROUND~ROLLBACK"},
    {"checkpoint:or_null", "string|null", "Newest checkpoint; null if there is none"},
    {"contract", "string", "Kernel contract from this round on"},
    {"parts:hashes", "{sha256}", "Part of the state: its hash"},
    {"state_sha256", "sha256|=", "Hash of the complete state; empty before the first round"},
    {"file", "string", "Path of the file that was written; - is standard output"},
    {"bytes", "count", "Number of bytes"},

    // Figures.
    {"loss", "number|null", "Mean loss; null if it is not a number"},
    {"accuracy", "number", "Share of right predictions; absent for losses without it"},
    {"macro_precision", "number", "Mean precision of the classes"},
    {"macro_recall", "number", "Mean recall of the classes"},
    {"macro_f1", "number", "Mean F1 of the classes"},
    {"kappa", "number", "Cohen's kappa"},
    {"mcc", "number", "Matthews correlation coefficient"},
    {"roc_auc", "number", "Area under the ROC curve; of several classes, their mean"},
    {"average_precision", "number", "Area under the precision-recall curve"},
    {"r2", "number", "Coefficient of determination"},
    {"mse", "number", "Mean squared error"},
    {"mae", "number", "Mean absolute error"},
    {"precision", "number", "Share of the predictions of a class that are right"},
    {"recall", "number", "Share of the examples of a class that are predicted"},
    {"f1", "number", "Harmonic mean of precision and recall"},
    {"metric", "string", "Name of a figure, such as loss or accuracy"},
    {"test:metrics", "Accuracy", "Figures of the test set; absent if it was not evaluated"},
    {"class", "string", "Name of the class, or its number as text if it has no name"},
    {"class_number", "count", "Number of the class, from 0"},
    {"probability", "number|null", "Probability of the class"},
    {"plateaus", "count", "Plateaus so far; absent if nothing depends on them"},
    {"curves", "[Curve]", "Figures by round"},
    {"curve:of_scores", "ScoreCurve", "Recall and precision by threshold"},
    {"at_threshold", "[ScorePoint]", "Figures at a few thresholds"},
    {"by_output:evaluated", "[OutputEvaluation]", "Figures of each output of a model with several"},
    {"weight_penalty", "number", "L1 and L2 penalty of the weights"},

    // Data.
    {"examples", "count", "Number of examples"},
    {"examples:trained", "count", "Number of examples trained so far"},
    {"blocks:count", "count", "Number of blocks"},
    {"classes:count", "count", "Number of classes"},
    {"schema", "DataSchema", "Features and labels"},
    {"set", "=train|=test", "Which set it is"},
    {"table", "TableReport", "What the command guessed about a table"},
    {"rows", "count", "Number of rows"},
    {"columns:of_table", "[string]", "Names of the columns of a table, in their order"},
    {"order", "=shuffled|=source", "Order in which the examples are stored"},
    {"class_histogram", "[count]", "Number of examples of each class"},
    {"normalizer", "Normalizer", "Normalization of the features"},
    {"target_normalizer", "Normalizer", "Normalization of labels that are numbers"},
    {"unknown_values", "[UnknownValues]",
     "Columns with categories that the training set lacks; absent if there are none"},

    // Sweeps, and pages of answers.
    {"sweep", "string", "Name of the sweep"},
    {"trial", "count", "Number of the job in the sweep, from 1"},
    {"settings:of_trial", "{string}", "Path: value that the sweep set"},
    {"next_first", "count", "Value of ?first= for the next page; absent at the end"},

    // Times. A moment is in milliseconds since 1970 (UTC), by the clock of the master.
    {"unix_ms", "count", "When it happened, in ms since 1970"},
    {"submitted_unix_ms", "count", "When the job was submitted, in ms since 1970"},
    {"ended_unix_ms", "count", "When the job ended, in ms since 1970; absent before"},
};

}  // namespace

std::span<const Key> SharedKeys() { return kKeys; }

}  // namespace dl::web
