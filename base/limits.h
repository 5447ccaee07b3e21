// Every limit of the system, in one place. A length that came from outside is compared with one of
// these before it allocates; every wait, queue, retry and message has its bound here.
#pragma once

#include <chrono>
#include <cstdint>

namespace dl::limits {

// JSON documents (job specs, manifests, configs).
inline constexpr int64_t kMaxJsonBytes = 64 << 20;
inline constexpr int64_t kMaxJsonParsedBytes = 512 << 20;  // about what a parsed one may take
inline constexpr int kMaxJsonDepth = 64;

// Models.
inline constexpr int64_t kMaxLayers = 10'000;
inline constexpr int64_t kMaxModelInputs = 256;
inline constexpr int64_t kMaxModelOutputs = 256;
inline constexpr int64_t kMaxParameters = int64_t{1} << 32;
inline constexpr int64_t kMaxExtent = 1 << 24;                 // one dimension of a shape
inline constexpr int64_t kMaxBufferFloats = int64_t{1} << 34;  // one long-lived buffer: 64 GiB
inline constexpr int64_t kMaxExampleElements = 1 << 26;  // values of one example between two layers
inline constexpr int64_t kMaxName = 63;                  // of a model, a layer
inline constexpr int64_t kMaxWindow = 1 << 16;           // a kernel's or stride's extent
inline constexpr double kMaxCoefficient = 1e6;           // learning rates, L2, decay, a deviation
inline constexpr int64_t kMaxScheduleSteps = int64_t{1} << 50;  // exact in a double
inline constexpr int64_t kMaxEngineThreads = 1024;              // of one network
inline constexpr int64_t kMaxConfusionClasses = 4096;           // more cells than anybody reads
// Figures in the announcement of an evaluation unit. The core adds up the announcements of all
// units, and writes the sum down, in one event (kLongStep).
inline constexpr int64_t kMaxAnnouncedClasses = 128;    // of a confusion matrix
inline constexpr int64_t kMaxAnnouncedNumbers = 64;     // outputs whose errors are summed
inline constexpr int64_t kMaxAnnouncedScores = 16'131;  // counts of examples by score

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
inline constexpr int32_t kMaxPriority = 100;  // and as far below 0
inline constexpr size_t kMaxLabels = 32;      // of a job, or an executor
inline constexpr int64_t kMaxLabelPart = 63;  // characters of a key, or a value

// Data.
inline constexpr int64_t kBlockBytes = 1 << 20;  // uncompressed size that decides a block's border
inline constexpr int64_t kMaxBlockBytes = 64
                                          << 20;  // one example may exceed kBlockBytes, never this
inline constexpr int64_t kMaxExamples = int64_t{1} << 40;
inline constexpr int64_t kMaxClasses = 1 << 20;
inline constexpr int64_t kShuffleWindowBlocks = 64;
inline constexpr int64_t kMaxImportBytes = int64_t{16} << 40;    // one source's values
inline constexpr int64_t kImportMemoryBytes = int64_t{1} << 30;  // of them in memory, else on disk
inline constexpr int64_t kMinImportMemoryBytes = 1 << 20;
inline constexpr int64_t kMaxTextTokens = int64_t{1} << 30;  // of a split's texts, held in memory
inline constexpr size_t kMaxWordBytes = 4096;                // of a text
inline constexpr size_t kMaxTextLineBytes = 64 << 20;
inline constexpr int64_t kMaxCsvColumns = 1 << 16;
inline constexpr int64_t kMaxCategories = 1 << 16;       // of one column of a table
inline constexpr int64_t kMaxVocabularyBytes = 8 << 20;  // of all of its columns' categories
inline constexpr int64_t kMaxCountedNumbers =
    1 << 20;  // distinct ones of columns whose most frequent one is asked for
inline constexpr size_t kMaxRank = 4;  // dimensions of an example; arrays of examples have one more
inline constexpr int64_t kMaxImageSide = 1 << 16;       // pixels
inline constexpr int64_t kMaxImagePixels = 1 << 27;     // of an image file: 11,585 squared
inline constexpr int64_t kMaxImageScans = 500;          // of a progressive JPEG file
inline constexpr int64_t kImageMemoryBytes = 16 << 20;  // for one image, however little is given
inline constexpr int64_t kMaxImagesOfClass = 1 << 22;   // files of one folder
inline constexpr int64_t kMaxPrefetchBatches = 1024;
inline constexpr int64_t kDecodedBlockCacheBytes =
    256 << 20;  // decoded blocks that an executor's slots share

// Messages.
inline constexpr int64_t kChunkBytes = 4 << 20;  // bulk data travels in chunks of at most this
// SHA-256 of the pieces of a part, which travel with its first chunk: of kMaxBufferFloats.
inline constexpr int64_t kMaxPieceHashesBytes = 2 << 20;
// How often a fetch asks again for a piece of a part that is not what its hash says.
inline constexpr int kMaxPiecesAgain = 3;
inline constexpr int64_t kMaxMessageBytes = 80 << 20;
inline constexpr int64_t kMaxStringBytes = 72 << 20;
inline constexpr int64_t kMaxContainer = 1 << 20;    // numbers in one list
inline constexpr int64_t kMaxListEntries = 1 << 16;  // strings or structs in one list

inline constexpr int64_t kMaxPutBlocks = 128;            // blocks in one upload
inline constexpr int64_t kUploadBytes = 16 << 20;        // that a client gathers for one
inline constexpr int64_t kWeightsBlockBytes = 16 << 20;  // of weights that a job begins with

// Texts of messages: short unless they are documents (rpc/convert.cc).
inline constexpr int64_t kMaxShortText = 4096;    // names, hosts, contracts, reports of errors
inline constexpr size_t kMaxExecutorName = 128;   // characters
inline constexpr int64_t kMaxHostText = 255;      // bytes of a machine's name
inline constexpr int64_t kMaxContractText = 512;  // of a kernel contract
inline constexpr int64_t kMaxWordText = 64;       // of an instruction set, a version, a SHA-256
inline constexpr int64_t kMaxJobId = kMaxJobName + 32;  // a name and a number
inline constexpr int64_t kMaxRequestId = 128;           // the store keeps them
inline constexpr int64_t kMaxErrorText = 64 << 10;      // each text of an answer that is an error
inline constexpr int64_t kMaxSpecBytes = 4 << 20;       // of a job; its data is told by manifests
inline constexpr int64_t kMaxMetricsBytes = 2 << 20;    // of one unit, its matrix counted
// Lists of messages: what an executor can hold of each. Of what is said to be held the core makes
// copies and notices, which is the costliest event that there is (kLongStep).
inline constexpr int64_t kMaxHeldParts = 4096;
inline constexpr int64_t kMaxHeldContributions = 1024;
inline constexpr int64_t kMaxUnitsUnderWay = 8192;  // running, waiting to be sent
// Spec and manifests of a job: one batch of the store and one answer of FetchJob hold them.
inline constexpr int64_t kMaxSubmissionBytes = 64 << 20;

// Processes.
inline constexpr int64_t kMaxContracts = 8;     // that one executor offers
inline constexpr int32_t kMaxSlots = 1024;      // of one executor
inline constexpr int32_t kMaxLocal = 256;       // slots of local[N], executors of local-cluster[N]
inline constexpr int64_t kMaxExecutors = 1024;  // of one machine, that share a data folder
inline constexpr int64_t kClusterCacheBytes = int64_t{1} << 30;  // each one's of local-cluster[N]
inline constexpr size_t kMaxJobsAtHand = 8;      // jobs whose spec and data an executor keeps open
inline constexpr size_t kMaxPartsKept = 16'384;  // of an executor
inline constexpr int64_t kMaxHolderBytes = 1 << 16;  // what a data folder says of who has it

// What a server takes for messages (rpc/message_limits.h). A list's entry counts with what it takes
// when it is read, and again as the struct that it becomes.
inline constexpr int64_t kMaxGreetingBytes = 16 << 10;  // before Hello is answered
inline constexpr int64_t kFreeMessageBytes = 64 << 10;  // of a message that waits for nobody
inline constexpr int64_t kListEntryBytes = 256;         // of structs and strings, beside the texts
inline constexpr int64_t kNumberEntryBytes = 16;
inline constexpr int64_t kMessageStepBytes = 64 << 10;  // memory is charged in steps of this
// Memory for messages of all connections together, and the most of one token.
inline constexpr int64_t kExecutorMessageBytes = 64 << 20;
inline constexpr int64_t kExecutorMessageBytesOfToken = 48 << 20;
inline constexpr int64_t kClientMessageBytes = 72 << 20;
inline constexpr int64_t kClientMessageBytesOfToken = 65 << 20;
inline constexpr int64_t kDocumentMessageBytes = 72 << 20;  // specs and manifests of clients
inline constexpr int64_t kDocumentMessageBytesOfToken = 65 << 20;
inline constexpr int64_t kJobMessageBytes = 72 << 20;  // specs and manifests that executors fetch
inline constexpr int64_t kJobMessageBytesOfToken = 65 << 20;
// A peer has to move so many bytes per second while others wait for memory. It also has to be fast
// enough to move what its message holds within kMostHeldSeconds.
inline constexpr int64_t kLeastMessageRate = 64 << 10;
inline constexpr int64_t kMostHeldSeconds = 30;
inline constexpr std::chrono::milliseconds kMessageRateLook{500};  // between two measurements
// A call that is denied is answered before its arguments are read. So long the server discards
// them, so that the answer is not lost.
inline constexpr std::chrono::milliseconds kDeniedLinger{2'000};
inline constexpr int64_t kMaxLogPageBytes = 1 << 20;  // records of the round log in an answer

// Tokens, keys and certificates (security/).
inline constexpr int64_t kMaxTokens = 10'000;        // of a cluster, beside those that expired
inline constexpr int64_t kMaxTokenFileBytes = 4096;  // a token is a line of 110 characters
inline constexpr int64_t kMaxPemBytes = 1 << 20;
inline constexpr int64_t kMaxCredential = 128;       // what a connection shows of a token
inline constexpr int64_t kMaxAuditBytes = 64 << 20;  // of a file of the audit log; there are two
inline constexpr int64_t kMaxOwnerName = 64;
inline constexpr std::chrono::milliseconds kClockPatience{
    300'000};  // until a jump of the machine's clock is believed where tokens expire

// Connections.
// Sessions of executors that are open, in all and of one token. Executors may share a token.
inline constexpr int64_t kMaxSessions = 4096;
inline constexpr int64_t kMaxSessionsOfToken = 2048;
inline constexpr int64_t kMaxStrangers = 256;  // of one address, that have not said Hello
inline constexpr int64_t kMaxConnections =
    8192;  // of one server; beyond it a peer is told and closed
inline constexpr int64_t kMaxRefusedAtOnce = 16;  // those that wait to be told
inline constexpr std::chrono::milliseconds kHelloDeadline{
    10'000};  // for a first word, and from there for a whole first message
inline constexpr std::chrono::milliseconds kMessageDeadline{
    120'000};  // from a message's first byte to its last
inline constexpr std::chrono::milliseconds kIdleDeadline{
    600'000};  // a connection that says nothing is closed
inline constexpr std::chrono::milliseconds kStopGrace{
    2'000};  // replies under way when a server stops
inline constexpr std::chrono::milliseconds kPeerTimeout{
    15'000};  // TCP: an idle connection to a dead host
inline constexpr std::chrono::milliseconds kMaxCallDeadline{600'000};

inline constexpr std::chrono::milliseconds kRefusedPause{
    100};  // until a client that was refused for the connection limit tries again; doubles
inline constexpr std::chrono::milliseconds kMaxRefusedPause{2'000};
inline constexpr std::chrono::milliseconds kConnectionPatience{
    200};  // until a client that waits for the end of another call opens a connection
inline constexpr std::chrono::milliseconds kSpareConnection{
    5'000};  // one of those that nobody needed for this long is closed

// The master's core.
inline constexpr std::chrono::milliseconds kLongStep{5};  // a longer one is counted and told of
inline constexpr std::chrono::milliseconds kLongStepPause{10'000};  // between two that are told of

// Storage.
inline constexpr int64_t kMetaMinFreeBytes = 64 << 20;  // below: only essential batches are written
inline constexpr int64_t kMetaBallastBytes = 32 << 20;  // held back for them
inline constexpr int64_t kMetaWriteBufferBytes = 8 << 20;
inline constexpr int64_t kMetaMaxBatchBytes = 128 << 20;
inline constexpr int64_t kMetaFullBatchBytes =
    16 << 20;  // beyond it the core's events wait for the next batch
inline constexpr size_t kMaxEffectsUnwritten =
    4096;  // likewise: answers and events that wait for a batch
inline constexpr int64_t kMetaOrdinaryBatchBytes =
    kMetaFullBatchBytes + kMaxSubmissionBytes;  // an almost full one, and the largest event
static_assert(kMetaOrdinaryBatchBytes < kMetaMaxBatchBytes);
inline constexpr std::chrono::milliseconds kShortagePause{
    200};  // until what lacked files or memory is tried again; doubles
inline constexpr std::chrono::milliseconds kMaxShortagePause{5'000};
inline constexpr int64_t kBulkMinFreeBytes = 256 << 20;  // bulk stops first
inline constexpr int64_t kCheckpointChunkBytes = 4 << 20;
inline constexpr int64_t kMaxCheckpointParts = 1 << 20;
inline constexpr int64_t kMaxCheckpointBytes = int64_t{1} << 40;
// Of each of a master's two stores, and of an executor's block cache; fewer where the process may
// open few (base/open_files.h).
inline constexpr int64_t kMaxOpenTableFiles = 512;
inline constexpr int64_t kMinOpenTableFiles = 24;
inline constexpr int64_t kFilesOfProcess = 64;  // logs, locks, lists of files, standard streams

// Time.
inline constexpr std::chrono::milliseconds kControlDeadline{5'000};
inline constexpr std::chrono::milliseconds kBulkDeadline{30'000};  // one chunk
inline constexpr std::chrono::milliseconds kConnectDeadline{3'000};
inline constexpr std::chrono::milliseconds kLongPoll{1'000};
inline constexpr std::chrono::milliseconds kReadyLimit{60'000};  // opening a store replays its log
inline constexpr std::chrono::milliseconds kShutdownLimit{60'000};  // a master's last checkpoints
inline constexpr std::chrono::milliseconds kDeniedPatience{
    30'000};  // for an executor that was let in before and is denied now
inline constexpr std::chrono::milliseconds kLeaveLimit{5'000};  // an executor's goodbye
inline constexpr std::chrono::milliseconds kContractGrace{
    700};  // for executors that start together, before they decide a job's kernel contract
inline constexpr std::chrono::milliseconds kSubmitLimit{60'000};
inline constexpr std::chrono::milliseconds kPrintJobLimit{30'000};  // a job program's --print-job

// Followers of a job.
inline constexpr int64_t kMaxEventsKept = 20'000;  // per job, in the master's memory
// Of a job's stored events: a thousand more of each at most.
inline constexpr int64_t kEventsStored = 20'000;       // of no round
inline constexpr int64_t kRoundEventsStored = 10'000;  // of rounds: the last sequence numbers
inline constexpr int64_t kMaxEventsPerReply = 500;
inline constexpr int64_t kMaxEventBytesKept = 128 << 20;  // of all jobs
inline constexpr int64_t kMaxEventBytesPerReply = 256 << 10;

// Requests that wait for the core at once; more are told to try again.
inline constexpr int64_t kMaxRequestsWaiting = 10'000;
// Clients' request ids whose answers the master still knows: a repeated request is that recent.
inline constexpr int64_t kMaxRequestsRemembered = 10'000;

// slurm[N].
inline constexpr int32_t kMaxSlurm = 1024;           // executors of slurm[N]
inline constexpr int64_t kMaxSlurmAnswer = 4 << 20;  // what a command of Slurm prints
inline constexpr int kSlurmSignalSeconds = 90;       // before the time limit: last checkpoints
inline constexpr std::chrono::milliseconds kSlurmCommandLimit{
    120'000};  // sbatch, scontrol and scancel ask their controller again for a while
inline constexpr std::chrono::milliseconds kSlurmPoll{2'000};  // between two looks at a job's state
inline constexpr std::chrono::milliseconds kSharedFileLag{
    5'000};  // until a file that another machine wrote is seen here
// A batch job that Slurm calls running has lost its first node when nobody has its data folder for
// so long: from its start, and later.
inline constexpr std::chrono::milliseconds kBatchStart{600'000};
inline constexpr std::chrono::milliseconds kBatchLost{20'000};
inline constexpr int64_t kMaxFollowedLine = 4 << 20;  // of a file that another process writes

inline constexpr int64_t kMaxLogBytes = 16 << 20;  // of a log file; there are two of each log

// Daemons that run on behind a command, and the machines that they are started on over ssh.
inline constexpr int64_t kMaxHosts = 1024;  // of a hosts file
inline constexpr int kHostsAtOnce = 32;     // that are talked to
inline constexpr int kSshConnectSeconds = 10;
inline constexpr std::chrono::milliseconds kHostLimit{90'000};  // what a host has in all
inline constexpr int64_t kMaxHostAnswer = 1 << 20;
inline constexpr std::chrono::milliseconds kDetachLimit{15'000};  // until it has joined its master
inline constexpr std::chrono::milliseconds kStopDaemonLimit{60'000};

// doctor.
inline constexpr std::chrono::milliseconds kMeasureTime{1'000};  // of a link, each way
inline constexpr std::chrono::milliseconds kMayDifferByClock{2'000};
inline constexpr int64_t kFewFiles = 4096;                    // that a process may have open
inline constexpr int64_t kLittleDisk = int64_t{5} << 30;      // free
inline constexpr int64_t kSlowLinkBytesPerSecond = 12 << 20;  // 100 Mbit/s

}  // namespace dl::limits
