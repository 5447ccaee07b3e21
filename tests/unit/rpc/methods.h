// Lists every method that may be called after Hello, with its messages, for tests that cover all of
// them.
#pragma once

// clang-format off
#define DL_RPC_METHODS(CALL, VOID_CALL) \
  CALL(Register, RegisterReply, RegisterRequest) \
  CALL(Heartbeat, HeartbeatReply, HeartbeatRequest) \
  VOID_CALL(Goodbye, GoodbyeRequest) \
  CALL(LeaseUnits, LeaseReply, LeaseRequest) \
  CALL(Announce, AnnounceReply, AnnounceRequest) \
  VOID_CALL(ReportFailure, FailureReport) \
  CALL(FetchJob, FetchJobReply, FetchJobRequest) \
  CALL(FetchPart, Chunk, FetchRequest) \
  CALL(FetchBlock, Chunk, FetchRequest) \
  CALL(Contribute, ContributionReply, ContributionChunk) \
  VOID_CALL(OfferPart, OfferChunk) \
  CALL(MissingBlocks, MissingBlocksReply, MissingBlocksRequest) \
  VOID_CALL(PutBlocks, PutBlocksRequest) \
  CALL(Submit, SubmitReply, SubmitRequest) \
  CALL(Act, JobActionReply, JobActionRequest) \
  CALL(Query, QueryReply, QueryRequest) \
  CALL(Events, EventsReply, EventsRequest) \
  CALL(FetchCheckpoint, Chunk, FetchRequest) \
  VOID_CALL(EndRead, EndReadRequest) \
  CALL(Drain, DrainReply, DrainRequest) \
  CALL(Measure, MeasureReply, MeasureRequest) \
  CALL(CreateToken, CreateTokenReply, CreateTokenRequest) \
  CALL(ListTokens, ListTokensReply, ListTokensRequest) \
  VOID_CALL(RevokeToken, RevokeTokenRequest)
// clang-format on
