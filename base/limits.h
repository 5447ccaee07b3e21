// The limits of the system on sizes, numbers and times. A length from outside is compared with a
// limit before memory is allocated for it.
#pragma once

#include <chrono>
#include <cstdint>

namespace dl::limits {

// JSON documents (job specs, manifests, configs).
inline constexpr int64_t kMaxJsonBytes = 64 << 20;
inline constexpr int64_t kMaxJsonParsedBytes = 512 << 20;  // approximate memory of the values
inline constexpr int kMaxJsonDepth = 64;                   // nested objects and lists

// Models.
inline constexpr int64_t kMaxLayers = 10'000;
inline constexpr int64_t kMaxModelInputs = 256;
inline constexpr int64_t kMaxModelOutputs = 256;
inline constexpr int64_t kMaxParameters = int64_t{1} << 32;
inline constexpr int64_t kMaxExtent = 1 << 24;                 // one dimension of a shape
inline constexpr int64_t kMaxBufferFloats = int64_t{1} << 34;  // one long-lived buffer: 64 GiB
inline constexpr int64_t kMaxExampleElements = 1 << 26;  // values of one example between two layers
inline constexpr int64_t kMaxName = 63;                  // length of a model's or layer's name
inline constexpr int64_t kMaxWindow = 1 << 16;           // extent of a kernel or stride
inline constexpr double kMaxCoefficient = 1e6;           // learning rates, L2, decay, a deviation
inline constexpr int64_t kMaxScheduleSteps = int64_t{1} << 50;  // exact in a double
inline constexpr int64_t kMaxEngineThreads = 1024;              // per network
inline constexpr int64_t kMaxConfusionClasses = 4096;           // classes in a confusion matrix
// Figures in the announcement of an evaluation unit. The core adds the announcements of all units
// and stores the sum in one event, which must be short (kLongStep).
inline constexpr int64_t kMaxAnnouncedClasses = 128;  // classes of a confusion matrix
inline constexpr int64_t kMaxAnnouncedNumbers = 64;   // outputs whose errors are summed
// Largest number of values to which the scores of an output are rounded
// (nn/metrics/score_counts.h). Examples are counted for each value.
inline constexpr int64_t kMaxAnnouncedScores = 16'131;
inline constexpr int64_t kMaxAnnouncedScoreOutputs = 64;  // outputs whose scores are counted

// Jobs.
inline constexpr int64_t kMaxWorkers = 4096;
inline constexpr int64_t kMaxBatchSize = 1 << 20;
inline constexpr int64_t kMaxAveragingFrequency = 1 << 20;
inline constexpr int64_t kMaxEpochs = 1'000'000;
inline constexpr int64_t kMaxJobName = 63;
inline constexpr int64_t kMaxThreadsPerWorker = 256;
inline constexpr int64_t kMaxLeaseSeconds = 3600;
inline constexpr int64_t kMaxKeptCheckpoints = 1000;
inline constexpr int64_t kMaxPath = 4096;  // bytes of a file name in a spec
inline constexpr int64_t kMaxSourceFiles = 10'000;
inline constexpr int32_t kMaxPriority = 100;  // the minimum is -kMaxPriority
inline constexpr size_t kMaxLabels = 32;      // per job or executor
inline constexpr int64_t kMaxLabelPart = 63;  // characters of a key or a value

// Data.
// A block holds as many examples as fit into kBlockBytes, uncompressed. A larger example has a
// block of its own, of at most kMaxBlockBytes.
inline constexpr int64_t kBlockBytes = 1 << 20;
inline constexpr int64_t kMaxBlockBytes = 64 << 20;
inline constexpr int64_t kMaxExamples = int64_t{1} << 40;
inline constexpr int64_t kMaxClasses = 1 << 20;
inline constexpr int64_t kShuffleWindowBlocks = 64;
inline constexpr int64_t kMaxImportBytes = int64_t{16} << 40;  // values of one source
// Memory for the values of an import: largest default, and smallest size that a user may choose.
// Further values are in a file on the disk.
inline constexpr int64_t kImportMemoryBytes = int64_t{1} << 30;
inline constexpr int64_t kMinImportMemoryBytes = 1 << 20;
inline constexpr int64_t kMaxTextTokens = int64_t{1} << 30;  // texts of a split, held in memory
inline constexpr size_t kMaxWordBytes = 4096;                // a word of a text
inline constexpr size_t kMaxTextLineBytes = 64 << 20;
inline constexpr int64_t kMaxCsvColumns = 1 << 16;
inline constexpr int64_t kMaxCategories = 1 << 16;       // per column of a table
inline constexpr int64_t kMaxVocabularyBytes = 8 << 20;  // categories of all columns of a table
// A column may replace missing values by its most frequent number. Its distinct numbers are then
// counted. All these columns of a table together have at most this many distinct numbers.
inline constexpr int64_t kMaxCountedNumbers = 1 << 20;
inline constexpr size_t kMaxRank = 4;  // dimensions of an example; arrays of examples have one more
inline constexpr int64_t kMaxImageSide = 1 << 16;       // pixels
inline constexpr int64_t kMaxImagePixels = 1 << 27;     // per image file: 11,585 squared
inline constexpr int64_t kMaxImageScans = 500;          // per progressive JPEG file
inline constexpr int64_t kImageMemoryBytes = 16 << 20;  // minimum for one image
inline constexpr int64_t kMaxImagesOfClass = 1 << 22;   // files in one folder
inline constexpr int64_t kMaxPrefetchBatches = 1024;
inline constexpr int64_t kDecodedBlockCacheBytes =
    256 << 20;  // decoded blocks, shared by the slots of an executor

// Messages.
inline constexpr int64_t kChunkBytes = 4 << 20;  // largest chunk in which bulk data is sent
// Largest list of piece hashes, which a part of kMaxBufferFloats has. It is sent with the first
// chunk of the part.
inline constexpr int64_t kMaxPieceHashesBytes = 2 << 20;
// Number of times that one fetch of a part asks again for pieces that do not match their hash.
inline constexpr int kMaxPieceRetries = 3;
inline constexpr int64_t kMaxMessageBytes = 80 << 20;
inline constexpr int64_t kMaxStringBytes = 72 << 20;
inline constexpr int64_t kMaxContainer = 1 << 20;    // numbers in one list
inline constexpr int64_t kMaxListEntries = 1 << 16;  // strings or structs in one list

inline constexpr int64_t kMaxPutBlocks = 128;      // blocks in one upload
inline constexpr int64_t kUploadBytes = 16 << 20;  // bytes that a client collects for an upload
inline constexpr int64_t kWeightsBlockBytes = 16 << 20;  // blocks of a job's initial weights

// Texts of messages: short, except for documents (rpc/convert.cc).
inline constexpr int64_t kMaxShortText = 4096;          // a text that has no limit of its own
inline constexpr size_t kMaxExecutorName = 128;         // characters
inline constexpr int64_t kMaxHostText = 255;            // bytes of a machine's name
inline constexpr int64_t kMaxContractText = 512;        // a kernel contract
inline constexpr int64_t kMaxWordText = 64;             // an instruction set, a version, a SHA-256
inline constexpr int64_t kMaxJobId = kMaxJobName + 32;  // a name and a number
inline constexpr int64_t kMaxRequestId = 128;           // stored by the master
inline constexpr int64_t kMaxErrorText = 64 << 10;      // each text of an error in an answer
inline constexpr int64_t kMaxSpecBytes = 4 << 20;       // per job; manifests describe its data
inline constexpr int64_t kMaxMetricsBytes = 2 << 20;    // per unit, with the confusion matrix
// Longest lists in messages of an executor. An executor may hold more; it then sends only a part in
// its registration (rpc/held_lists.h). The core copies these lists and makes notices from them, so
// a message with full lists is its most expensive event (kLongStep).
inline constexpr int64_t kMaxHeldParts = 4096;
inline constexpr int64_t kMaxHeldContributions = 1024;
inline constexpr int64_t kMaxUnitsInProgress = 8192;  // running, or waiting to be sent
// Spec and manifests of a job. They fit into one batch of the store and one answer of FetchJob.
inline constexpr int64_t kMaxSubmissionBytes = 64 << 20;

// Processes.
inline constexpr int64_t kMaxContracts = 8;  // offered by one executor
inline constexpr int32_t kMaxSlots = 1024;   // per executor
inline constexpr int32_t kMaxLocalExecutors =
    256;                                        // slots of local[N], executors of local-cluster[N]
inline constexpr int64_t kMaxExecutors = 1024;  // per machine and data folder
// Block cache of an executor that a job starts: on local-cluster[N], slurm[N] and mpi.
inline constexpr int64_t kClusterCacheBytes = int64_t{1} << 30;
inline constexpr size_t kMaxOpenJobs = 8;        // jobs whose spec and data an executor keeps open
inline constexpr size_t kMaxPartsKept = 16'384;  // state parts in the cache of an executor
inline constexpr int64_t kMaxHolderBytes = 1 << 16;  // a small file about a process

// Memory of a server for messages (rpc/message_limits.h).
inline constexpr int64_t kMaxGreetingBytes = 16 << 10;  // messages before Hello is answered
inline constexpr int64_t kUnchargedMessageBytes =
    64 << 10;  // the part of a message that is not charged
// Charges for an entry of a list. They cover the entry while it is read, and the value that is made
// of it.
inline constexpr int64_t kListEntryBytes = 256;         // a struct or string, without its text
inline constexpr int64_t kNumberEntryBytes = 16;        // a number
inline constexpr int64_t kMessageStepBytes = 64 << 10;  // memory is charged in steps of this size
// Memory for the messages of each kind: of all connections together, and of one token.
inline constexpr int64_t kExecutorMessageBytes = 64 << 20;
inline constexpr int64_t kExecutorMessageBytesOfToken = 48 << 20;
inline constexpr int64_t kClientMessageBytes = 72 << 20;
inline constexpr int64_t kClientMessageBytesOfToken = 65 << 20;
inline constexpr int64_t kDocumentMessageBytes = 72 << 20;  // specs and manifests of clients
inline constexpr int64_t kDocumentMessageBytesOfToken = 65 << 20;
inline constexpr int64_t kJobMessageBytes = 72 << 20;  // specs and manifests that executors fetch
inline constexpr int64_t kJobMessageBytesOfToken = 65 << 20;
// While other peers wait for memory, a peer must move at least this many bytes per second. It must
// also be fast enough to move what its message holds within kMaxHeldSeconds.
inline constexpr int64_t kMinMessageRate = 64 << 10;
inline constexpr int64_t kMaxHeldSeconds = 30;
inline constexpr std::chrono::milliseconds kMessageRateInterval{500};  // between two measurements
// A denied call is answered before its arguments are read. The server discards the arguments for
// this time, so that the answer is not lost.
inline constexpr std::chrono::milliseconds kDeniedDiscardTime{2'000};
inline constexpr int64_t kMaxLogPageBytes = 1 << 20;  // records of the round log in an answer

// Tokens, keys and certificates (security/).
inline constexpr int64_t kMaxTokens = 10'000;        // per cluster (security/token_store.h)
inline constexpr int64_t kMaxTokenFileBytes = 4096;  // a token is a line of 110 characters
inline constexpr int64_t kMaxPemBytes = 1 << 20;
inline constexpr int64_t kMaxCredential = 128;       // no token that Hello sends has more bytes
inline constexpr int64_t kMaxAuditBytes = 64 << 20;  // per file of the audit log; there are two
inline constexpr int64_t kMaxOwnerName = 64;
// A jump of the machine's clock by more than a second has an effect on the expiry of tokens only
// after it has lasted this long (security/steady_wall_clock.h).
inline constexpr std::chrono::milliseconds kClockJumpTime{300'000};

// Connections.
// Open sessions of executors, in total and per token. Executors may share a token.
inline constexpr int64_t kMaxSessions = 4096;
inline constexpr int64_t kMaxSessionsOfToken = 2048;
inline constexpr int64_t kMaxUnauthenticated = 256;  // connections of an address before Hello
inline constexpr int64_t kMaxConnections =
    8192;  // per server; a further peer gets an error and is closed
inline constexpr int64_t kMaxWaitingRefusals = 16;  // peers that wait for this error
inline constexpr std::chrono::milliseconds kHelloDeadline{
    10'000};  // for the first byte, and from there for the whole first message
inline constexpr std::chrono::milliseconds kMessageDeadline{
    120'000};  // from a message's first byte to its last
inline constexpr std::chrono::milliseconds kIdleDeadline{
    600'000};  // until a connection without messages is closed
inline constexpr std::chrono::milliseconds kStopGrace{
    2'000};  // for replies in progress when a server stops
inline constexpr std::chrono::milliseconds kPeerTimeout{
    15'000};  // TCP: an idle connection to a dead host
inline constexpr std::chrono::milliseconds kMaxCallDeadline{600'000};

inline constexpr std::chrono::milliseconds kRefusedPause{
    100};  // before a client at the connection limit tries again; doubles
inline constexpr std::chrono::milliseconds kMaxRefusedPause{2'000};
// How long a call of a client waits for an earlier call on the connection before it opens another
// connection.
inline constexpr std::chrono::milliseconds kConnectionGrowthDelay{200};
inline constexpr std::chrono::milliseconds kSpareConnectionTimeout{
    5'000};  // until an unused additional connection is closed

// The master's core.
inline constexpr std::chrono::milliseconds kLongStep{5};  // longer steps are counted and logged
inline constexpr std::chrono::milliseconds kLongStepLogInterval{
    10'000};  // between two logged steps

// Storage.
inline constexpr int64_t kMetaMinFreeBytes = 64 << 20;  // below: only essential batches are written
inline constexpr int64_t kMetaBallastBytes = 32 << 20;  // reserved for essential batches
inline constexpr int64_t kMetaWriteBufferBytes = 8 << 20;
inline constexpr int64_t kMetaMaxBatchBytes = 128 << 20;
inline constexpr int64_t kMetaFullBatchBytes =
    16 << 20;  // beyond it, events of the core wait for the next batch
inline constexpr size_t kMaxEffectsUnwritten =
    4096;  // answers and events that wait for a batch; beyond it, events of the core wait
inline constexpr int64_t kMetaOrdinaryBatchBytes =
    kMetaFullBatchBytes + kMaxSubmissionBytes;  // an almost full batch and the largest event
static_assert(kMetaOrdinaryBatchBytes < kMetaMaxBatchBytes);
inline constexpr std::chrono::milliseconds kShortagePause{
    200};  // before a retry after a shortage of files or memory; doubles
inline constexpr std::chrono::milliseconds kMaxShortagePause{5'000};
inline constexpr int64_t kBulkMinFreeBytes = 256 << 20;  // bulk writes stop before records do
inline constexpr int64_t kCheckpointChunkBytes = 4 << 20;
inline constexpr int64_t kMaxCheckpointParts = 1 << 20;
inline constexpr int64_t kMaxCheckpointBytes = int64_t{1} << 40;
// Open table files of each of the two stores of a master: an eighth of the files that the process
// may open, within these limits (base/open_files.h).
inline constexpr int64_t kMaxOpenTableFiles = 512;
inline constexpr int64_t kMinOpenTableFiles = 24;
// Open files of a master that are neither table files nor connections: logs, locks, lists of files,
// standard streams.
inline constexpr int64_t kReservedFiles = 64;

// Time.
inline constexpr std::chrono::milliseconds kControlDeadline{5'000};  // per call without bulk data
inline constexpr std::chrono::milliseconds kBulkDeadline{30'000};    // per chunk
inline constexpr std::chrono::milliseconds kConnectDeadline{3'000};
inline constexpr std::chrono::milliseconds kLongPoll{1'000};  // a call waits so long for news
inline constexpr std::chrono::milliseconds kReadyTimeout{
    60'000};  // for a start: opening a store replays its log
inline constexpr std::chrono::milliseconds kShutdownTimeout{
    60'000};  // for a master's last checkpoints
// For an executor that may be admitted later, but is denied now. The clock of a master may be wrong
// at its start, and be set right some minutes later. Tokens are valid again kClockJumpTime after
// that.
inline constexpr std::chrono::milliseconds kDeniedTimeout{2 * kClockJumpTime};
inline constexpr std::chrono::milliseconds kSilentMasterTimeout{
    60'000};  // for an executor whose master accepts its first connections and never answers
inline constexpr std::chrono::milliseconds kGoodbyeTimeout{5'000};  // for an executor's goodbye
// Time from the registration of the first executor that suits a job until the job's kernel contract
// is chosen. Executors that start together can register meanwhile.
inline constexpr std::chrono::milliseconds kContractGrace{700};
inline constexpr std::chrono::milliseconds kSubmitTimeout{60'000};
inline constexpr std::chrono::milliseconds kPrintJobTimeout{30'000};  // a job program's --print-job

// Events of jobs.
inline constexpr int64_t kMaxEventsKept = 20'000;  // per job, in the master's memory
// Stored events per job: the last kMaxStoredEvents events of types other than `round`, and the
// events of type `round` among the last kMaxStoredRoundEvents events of all types. Older events are
// deleted in groups of a thousand, so up to a thousand more of each kind may be stored.
inline constexpr int64_t kMaxStoredEvents = 20'000;
inline constexpr int64_t kMaxStoredRoundEvents = 10'000;
inline constexpr int64_t kMaxEventsPerReply = 500;
inline constexpr int64_t kMaxEventBytesKept = 128 << 20;  // of all jobs
inline constexpr int64_t kMaxEventBytesPerReply = 256 << 10;

// Requests that wait for the core at the same time. Further requests get "try again".
inline constexpr int64_t kMaxRequestsWaiting = 10'000;
// Newest request ids whose answers the master remembers, for clients that repeat a request.
inline constexpr int64_t kMaxRequestsRemembered = 10'000;

// slurm[N].
inline constexpr int32_t kMaxSlurmExecutors = 1024;       // executors of slurm[N]
inline constexpr int64_t kMaxSlurmOutputBytes = 4 << 20;  // output of a Slurm command
inline constexpr int kSlurmSignalSeconds = 90;  // before the time limit, for the last checkpoints
inline constexpr std::chrono::milliseconds kSlurmCommandTimeout{
    120'000};  // sbatch, scontrol and scancel retry their controller for a while
inline constexpr std::chrono::milliseconds kSlurmPoll{2'000};  // between two queries of a job
// Longest time until a change of a file by another machine is visible on this machine.
inline constexpr std::chrono::milliseconds kSharedFileLag{5'000};
// How long the master of a batch job that Slurm reports as running may give no sign of life: from
// the job's start until the first sign, and after the last one. Signs are a message and the lock of
// its data folder. Afterwards the job has lost its first node.
inline constexpr std::chrono::milliseconds kBatchStartTimeout{600'000};
inline constexpr std::chrono::milliseconds kBatchSilenceTimeout{20'000};
inline constexpr int64_t kMaxFollowedLine = 4 << 20;  // in a file that another process writes

inline constexpr int64_t kMaxLogBytes = 16 << 20;  // per log file; each log has two

// Daemons that keep running after their command, and machines on which they are started by ssh.
inline constexpr int64_t kMaxHosts = 1024;  // in a hosts file
inline constexpr int kHostsAtOnce = 32;     // ssh connections at the same time
inline constexpr int kSshConnectSeconds = 10;
inline constexpr std::chrono::milliseconds kHostCallTimeout{90'000};  // for one call to a host
inline constexpr int64_t kMaxHostOutputBytes = 1 << 20;
inline constexpr std::chrono::milliseconds kDetachTimeout{15'000};  // until an executor has joined
inline constexpr std::chrono::milliseconds kStopDaemonTimeout{60'000};

// Thresholds of `dl-submit doctor`.
inline constexpr std::chrono::milliseconds kLinkMeasureTime{1'000};     // per direction of a link
inline constexpr std::chrono::milliseconds kMaxClockDifference{2'000};  // between two machines
inline constexpr int64_t kLowOpenFileLimit = 4096;                      // open files of a process
inline constexpr int64_t kLowDiskBytes = int64_t{5} << 30;              // free bytes
inline constexpr int64_t kSlowLinkBytesPerSecond = 12 << 20;            // 100 Mbit/s

}  // namespace dl::limits
