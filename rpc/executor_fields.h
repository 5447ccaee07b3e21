// Lists the fields of the messages between an executor and a master, and of the structs in them.
// Hello is not listed, because rpc/connection.cc and rpc/connection_handler.cc use its generated
// structs. Fields(visitor, message, wire) calls visitor(name, message.field, wire.field) for each
// field, in the order of the ids in rpc/idl/paravane.thrift. Lease::hint is visited only if
// has_hint is true in `message` or in `wire`. If a list lacks a field of its message, ConvertTest
// fails.
#pragma once

#include "paravane_types.h"
#include "rpc/messages.h"

namespace dl::rpc {

#define DL_RPC_FIELD(name) v(#name, m.name, w.name)

template <typename Visitor>
void Fields(Visitor& v, UnitId& m, wire::UnitId& w) {
  DL_RPC_FIELD(job);
  DL_RPC_FIELD(kind);
  DL_RPC_FIELD(round);
  DL_RPC_FIELD(index);
}

template <typename Visitor>
void Fields(Visitor& v, HeldContribution& m, wire::HeldContribution& w) {
  DL_RPC_FIELD(unit);
  DL_RPC_FIELD(hash);
}

template <typename Visitor>
void Fields(Visitor& v, CrashedUnit& m, wire::CrashedUnit& w) {
  DL_RPC_FIELD(unit);
  DL_RPC_FIELD(spec_sha256);
  DL_RPC_FIELD(signal);
  DL_RPC_FIELD(lease);
  DL_RPC_FIELD(ticket);
}

template <typename Visitor>
void Fields(Visitor& v, OfferedContract& m, wire::OfferedContract& w) {
  DL_RPC_FIELD(contract);
  DL_RPC_FIELD(isa);
}

template <typename Visitor>
void Fields(Visitor& v, Retries& m, wire::Retries& w) {
  DL_RPC_FIELD(sessions);
  DL_RPC_FIELD(leases);
  DL_RPC_FIELD(jobs);
  DL_RPC_FIELD(states);
  DL_RPC_FIELD(blocks);
  DL_RPC_FIELD(results);
}

template <typename Visitor>
void Fields(Visitor& v, RegisterRequest& m, wire::RegisterRequest& w) {
  DL_RPC_FIELD(executor);
  DL_RPC_FIELD(incarnation);
  DL_RPC_FIELD(slots);
  DL_RPC_FIELD(contracts);
  DL_RPC_FIELD(host);
  DL_RPC_FIELD(pid);
  DL_RPC_FIELD(version);
  DL_RPC_FIELD(held_parts);
  DL_RPC_FIELD(held_contributions);
  DL_RPC_FIELD(crashed);
  DL_RPC_FIELD(unit_memory_bytes);
  DL_RPC_FIELD(labels);
  DL_RPC_FIELD(retries);
}

template <typename Visitor>
void Fields(Visitor& v, RegisterReply& m, wire::RegisterReply& w) {
  DL_RPC_FIELD(session);
  DL_RPC_FIELD(term);
  DL_RPC_FIELD(heartbeat_ms);
}

template <typename Visitor>
void Fields(Visitor& v, UnitProgress& m, wire::UnitProgress& w) {
  DL_RPC_FIELD(unit);
  DL_RPC_FIELD(lease);
  DL_RPC_FIELD(steps_done);
  DL_RPC_FIELD(steps_total);
  DL_RPC_FIELD(bytes_moved);
  DL_RPC_FIELD(computing);
}

template <typename Visitor>
void Fields(Visitor& v, HeartbeatRequest& m, wire::HeartbeatRequest& w) {
  DL_RPC_FIELD(session);
  DL_RPC_FIELD(running);
  DL_RPC_FIELD(blocks_cached_bytes);
  DL_RPC_FIELD(blocks_read_bytes);
  DL_RPC_FIELD(blocks_fetched_bytes);
  DL_RPC_FIELD(notices_seen);
  DL_RPC_FIELD(retries);
}

template <typename Visitor>
void Fields(Visitor& v, CommitNotice& m, wire::CommitNotice& w) {
  DL_RPC_FIELD(job);
  DL_RPC_FIELD(round);
}

template <typename Visitor>
void Fields(Visitor& v, GatherInput& m, wire::GatherInput& w) {
  DL_RPC_FIELD(index);
  DL_RPC_FIELD(hash);
  DL_RPC_FIELD(weight);
}

template <typename Visitor>
void Fields(Visitor& v, Gather& m, wire::Gather& w) {
  DL_RPC_FIELD(number);
  DL_RPC_FIELD(job);
  DL_RPC_FIELD(round);
  DL_RPC_FIELD(spec_sha256);
  DL_RPC_FIELD(sum);
  DL_RPC_FIELD(exponents);
  DL_RPC_FIELD(weight_sum);
  DL_RPC_FIELD(inputs);
}

template <typename Visitor>
void Fields(Visitor& v, HeartbeatReply& m, wire::HeartbeatReply& w) {
  DL_RPC_FIELD(abandon);
  DL_RPC_FIELD(offer);
  DL_RPC_FIELD(committed);
  DL_RPC_FIELD(master_stops);
  DL_RPC_FIELD(number);
  DL_RPC_FIELD(restart);
  DL_RPC_FIELD(restart_reason);
  DL_RPC_FIELD(gathers);
  DL_RPC_FIELD(drain);
}

template <typename Visitor>
void Fields(Visitor& v, GoodbyeRequest& m, wire::GoodbyeRequest& w) {
  DL_RPC_FIELD(session);
}

template <typename Visitor>
void Fields(Visitor& v, LeaseRequest& m, wire::LeaseRequest& w) {
  DL_RPC_FIELD(session);
  DL_RPC_FIELD(free_slots);
  DL_RPC_FIELD(wait_ms);
}

template <typename Visitor>
void Fields(Visitor& v, NamedPart& m, wire::NamedPart& w) {
  DL_RPC_FIELD(name);
  DL_RPC_FIELD(sha256);
}

template <typename Visitor>
void Fields(Visitor& v, Lease& m, wire::Lease& w) {
  DL_RPC_FIELD(unit);
  DL_RPC_FIELD(lease);
  DL_RPC_FIELD(base_sha256);
  DL_RPC_FIELD(parts);
  DL_RPC_FIELD(expected_contract);
  DL_RPC_FIELD(has_hint);
  if (m.has_hint || w.has_hint) DL_RPC_FIELD(hint);
  DL_RPC_FIELD(spec_sha256);
  DL_RPC_FIELD(earlier_updates);
  DL_RPC_FIELD(ticket);
  DL_RPC_FIELD(plateaus);
}

template <typename Visitor>
void Fields(Visitor& v, LeaseReply& m, wire::LeaseReply& w) {
  DL_RPC_FIELD(leases);
  DL_RPC_FIELD(gathers);
}

template <typename Visitor>
void Fields(Visitor& v, AnnounceRequest& m, wire::AnnounceRequest& w) {
  DL_RPC_FIELD(session);
  DL_RPC_FIELD(lease);
  DL_RPC_FIELD(unit);
  DL_RPC_FIELD(base_sha256);
  DL_RPC_FIELD(hash);
  DL_RPC_FIELD(bytes);
  DL_RPC_FIELD(parts);
  DL_RPC_FIELD(examples);
  DL_RPC_FIELD(steps);
  DL_RPC_FIELD(example_hash_sum);
  DL_RPC_FIELD(metrics);
  DL_RPC_FIELD(magnitudes);
  DL_RPC_FIELD(spec_sha256);
  DL_RPC_FIELD(free_slots);
  DL_RPC_FIELD(ticket);
  DL_RPC_FIELD(unit_us);
  DL_RPC_FIELD(computing_us);
  DL_RPC_FIELD(data_wait_us);
  DL_RPC_FIELD(state_wait_us);
  DL_RPC_FIELD(activations);
}

template <typename Visitor>
void Fields(Visitor& v, AnnounceReply& m, wire::AnnounceReply& w) {
  DL_RPC_FIELD(verdict);
}

template <typename Visitor>
void Fields(Visitor& v, ContributionChunk& m, wire::ContributionChunk& w) {
  DL_RPC_FIELD(session);
  DL_RPC_FIELD(unit);
  DL_RPC_FIELD(hash);
  DL_RPC_FIELD(total);
  DL_RPC_FIELD(offset);
  DL_RPC_FIELD(chunk_xxh3);
  DL_RPC_FIELD(bytes);
  DL_RPC_FIELD(gather);
}

template <typename Visitor>
void Fields(Visitor& v, ContributionReply& m, wire::ContributionReply& w) {
  DL_RPC_FIELD(receipt);
  DL_RPC_FIELD(received);
}

template <typename Visitor>
void Fields(Visitor& v, FailureReport& m, wire::FailureReport& w) {
  DL_RPC_FIELD(session);
  DL_RPC_FIELD(lease);
  DL_RPC_FIELD(unit);
  DL_RPC_FIELD(code);
  DL_RPC_FIELD(message);
  DL_RPC_FIELD(where);
  DL_RPC_FIELD(remedy);
  DL_RPC_FIELD(not_finite);
  DL_RPC_FIELD(fault);
}

template <typename Visitor>
void Fields(Visitor& v, FetchRequest& m, wire::FetchRequest& w) {
  DL_RPC_FIELD(session);
  DL_RPC_FIELD(job);
  DL_RPC_FIELD(sha256);
  DL_RPC_FIELD(offset);
  DL_RPC_FIELD(length);
  DL_RPC_FIELD(reader);
}

template <typename Visitor>
void Fields(Visitor& v, Chunk& m, wire::Chunk& w) {
  DL_RPC_FIELD(total);
  DL_RPC_FIELD(offset);
  DL_RPC_FIELD(chunk_xxh3);
  DL_RPC_FIELD(bytes);
  DL_RPC_FIELD(piece_hashes);
}

template <typename Visitor>
void Fields(Visitor& v, OfferChunk& m, wire::OfferChunk& w) {
  DL_RPC_FIELD(session);
  DL_RPC_FIELD(job);
  DL_RPC_FIELD(sha256);
  DL_RPC_FIELD(total);
  DL_RPC_FIELD(offset);
  DL_RPC_FIELD(chunk_xxh3);
  DL_RPC_FIELD(bytes);
  DL_RPC_FIELD(piece_hashes);
}

template <typename Visitor>
void Fields(Visitor& v, FetchJobRequest& m, wire::FetchJobRequest& w) {
  DL_RPC_FIELD(session);
  DL_RPC_FIELD(job);
}

template <typename Visitor>
void Fields(Visitor& v, FetchJobReply& m, wire::FetchJobReply& w) {
  DL_RPC_FIELD(spec);
  DL_RPC_FIELD(train_manifest);
  DL_RPC_FIELD(test_manifest);
  DL_RPC_FIELD(contract);
}

#undef DL_RPC_FIELD

}  // namespace dl::rpc
