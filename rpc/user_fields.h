// Lists the fields of the messages between a client and a master, and of the structs in them. Hello
// is not listed (rpc/executor_fields.h). Fields(visitor, message, wire) calls visitor(name,
// message.field, wire.field) for each field, in the order of the ids in rpc/idl/paravane.thrift.
// Only QueryRequest has another order. If a list lacks a field of its message, ConvertTest fails.
#pragma once

#include "paravane_types.h"
#include "rpc/messages.h"

namespace dl::rpc {

#define DL_RPC_FIELD(name) v(#name, m.name, w.name)

template <typename Visitor>
void Fields(Visitor& v, Scheduling& m, wire::Scheduling& w) {
  DL_RPC_FIELD(priority);
  DL_RPC_FIELD(after);
  DL_RPC_FIELD(max_executors);
  DL_RPC_FIELD(labels);
  DL_RPC_FIELD(needs);
}

template <typename Visitor>
void Fields(Visitor& v, SubmitRequest& m, wire::SubmitRequest& w) {
  DL_RPC_FIELD(request_id);
  DL_RPC_FIELD(spec);
  DL_RPC_FIELD(train_manifest);
  DL_RPC_FIELD(test_manifest);
  DL_RPC_FIELD(resume_from);
  DL_RPC_FIELD(init_from);
  DL_RPC_FIELD(scheduling);
}

template <typename Visitor>
void Fields(Visitor& v, SubmitReply& m, wire::SubmitReply& w) {
  DL_RPC_FIELD(job);
  DL_RPC_FIELD(contract);
  DL_RPC_FIELD(executors);
  DL_RPC_FIELD(excluded);
  DL_RPC_FIELD(too_small);
  DL_RPC_FIELD(unit_bytes);
  DL_RPC_FIELD(largest_unit_memory);
  DL_RPC_FIELD(without_labels);
  DL_RPC_FIELD(slots);
}

template <typename Visitor>
void Fields(Visitor& v, MissingBlocksRequest& m, wire::MissingBlocksRequest& w) {
  DL_RPC_FIELD(sha256);
}

template <typename Visitor>
void Fields(Visitor& v, MissingBlocksReply& m, wire::MissingBlocksReply& w) {
  DL_RPC_FIELD(missing);
}

template <typename Visitor>
void Fields(Visitor& v, PutBlocksRequest& m, wire::PutBlocksRequest& w) {
  DL_RPC_FIELD(sha256);
  DL_RPC_FIELD(sizes);
  DL_RPC_FIELD(bytes);
}

template <typename Visitor>
void Fields(Visitor& v, JobActionRequest& m, wire::JobActionRequest& w) {
  DL_RPC_FIELD(request_id);
  DL_RPC_FIELD(job);
  DL_RPC_FIELD(action);
  DL_RPC_FIELD(round);
  DL_RPC_FIELD(set_aside);
  DL_RPC_FIELD(rebind);
  DL_RPC_FIELD(isa);
}

template <typename Visitor>
void Fields(Visitor& v, JobActionReply& m, wire::JobActionReply& w) {
  DL_RPC_FIELD(message);
}

template <typename Visitor>
void Fields(Visitor& v, QueryRequest& m, wire::QueryRequest& w) {
  DL_RPC_FIELD(what);
  DL_RPC_FIELD(job);
  DL_RPC_FIELD(first);
  DL_RPC_FIELD(max_age_ms);
  DL_RPC_FIELD(series);
  DL_RPC_FIELD(last);
  DL_RPC_FIELD(max_entries);
  DL_RPC_FIELD(branch);
  DL_RPC_FIELD(buckets);
}

template <typename Visitor>
void Fields(Visitor& v, QueryReply& m, wire::QueryReply& w) {
  DL_RPC_FIELD(json);
  DL_RPC_FIELD(next_first);
  DL_RPC_FIELD(age_ms);
}

template <typename Visitor>
void Fields(Visitor& v, EventsRequest& m, wire::EventsRequest& w) {
  DL_RPC_FIELD(job);
  DL_RPC_FIELD(after);
  DL_RPC_FIELD(wait_ms);
}

template <typename Visitor>
void Fields(Visitor& v, EventsReply& m, wire::EventsReply& w) {
  DL_RPC_FIELD(events);
  DL_RPC_FIELD(last);
  DL_RPC_FIELD(terminal);
}

template <typename Visitor>
void Fields(Visitor& v, EndReadRequest& m, wire::EndReadRequest& w) {
  DL_RPC_FIELD(checkpoint);
  DL_RPC_FIELD(reader);
}

template <typename Visitor>
void Fields(Visitor& v, DrainRequest& m, wire::DrainRequest& w) {
  DL_RPC_FIELD(executors);
}

template <typename Visitor>
void Fields(Visitor& v, DrainReply& m, wire::DrainReply& w) {
  DL_RPC_FIELD(executors);
}

template <typename Visitor>
void Fields(Visitor& v, MeasureRequest& m, wire::MeasureRequest& w) {
  DL_RPC_FIELD(bytes);
  DL_RPC_FIELD(reply_bytes);
}

template <typename Visitor>
void Fields(Visitor& v, MeasureReply& m, wire::MeasureReply& w) {
  DL_RPC_FIELD(bytes);
  DL_RPC_FIELD(unix_ms);
}

template <typename Visitor>
void Fields(Visitor& v, CreateTokenRequest& m, wire::CreateTokenRequest& w) {
  DL_RPC_FIELD(owner);
  DL_RPC_FIELD(role);
  DL_RPC_FIELD(lifetime_ms);
  DL_RPC_FIELD(executor);
}

template <typename Visitor>
void Fields(Visitor& v, CreateTokenReply& m, wire::CreateTokenReply& w) {
  DL_RPC_FIELD(token);
}

template <typename Visitor>
void Fields(Visitor&, ListTokensRequest&, wire::ListTokensRequest&) {}

template <typename Visitor>
void Fields(Visitor& v, ListTokensReply& m, wire::ListTokensReply& w) {
  DL_RPC_FIELD(json);
}

template <typename Visitor>
void Fields(Visitor& v, RevokeTokenRequest& m, wire::RevokeTokenRequest& w) {
  DL_RPC_FIELD(id);
}

#undef DL_RPC_FIELD

}  // namespace dl::rpc
