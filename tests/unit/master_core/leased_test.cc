// Results of an executor count for units that were leased to it, and for no others.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/job/ticket.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

using rpc::Verdict;

TEST(Ticket, DependsOnAllFieldsOfLease) {
  Job job;
  job.definition.spec_sha256 = "spec";
  job.record.contract = "c1";
  const UnitId unit{.job = "j", .kind = UnitKind::kTrain, .round = 3, .index = 1};
  const auto of = [&](std::string_view executor, const UnitId& id, std::string_view base,
                      uint64_t lease, uint64_t secret = 7) {
    return TicketFor(secret, job,
                     {.executor = executor, .unit = id, .base_sha256 = base, .lease = lease});
  };
  UnitId evaluation = unit, next = unit, other = unit, job_k = unit;
  evaluation.kind = UnitKind::kEvaluate;
  ++next.round;
  ++other.index;
  job_k.job = "k";
  std::vector<uint64_t> tickets = {
      of("e1", unit, "b", 5), of("e2", unit, "b", 5),    of("e1", unit, "c", 5),
      of("e1", unit, "b", 6), of("e1", unit, "b", 5, 8), of("e1", evaluation, "b", 5),
      of("e1", next, "b", 5), of("e1", other, "b", 5),   of("e1", job_k, "b", 5)};
  // Executors choose their names, so a name must not be able to imitate other fields.
  tickets.push_back(of("e1 1:j 4:spec 1:b", unit, "", 5));
  job.record.contract = "c2";
  tickets.push_back(of("e1", unit, "b", 5));
  job.definition.spec_sha256 = "another";
  tickets.push_back(of("e1", unit, "b", 5));
  EXPECT_EQ(std::set<uint64_t>(tickets.begin(), tickets.end()).size(), tickets.size());
  EXPECT_EQ(of("e1", unit, "b", 5), tickets.back());
}

class Leased : public RoundsOfOne {
 protected:
  Verdict Say(int executor, const rpc::Lease& lease, uint64_t bits, uint64_t ticket) {
    rpc::AnnounceRequest said =
        core_.Announcement(e_[static_cast<size_t>(executor - 1)], lease, bits);
    said.ticket = ticket;
    auto reply = core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(std::move(said)));
    DL_EXPECT_OK(reply);
    return reply.ok() ? reply->verdict : Verdict::kDone;
  }
  const Unit& unit() const { return job().units.at(0); }
};

TEST_F(Leased, ResultWithoutLeaseIsRefused) {
  Begin(2);
  const rpc::Lease lease = LeaseTo(1);
  EXPECT_EQ(Say(2, lease, 66, 0), Verdict::kUnwanted);
  EXPECT_EQ(Say(2, lease, 66, lease.ticket), Verdict::kUnwanted) << "another's ticket";
  rpc::Lease invented = lease;
  ++invented.lease;
  EXPECT_EQ(Say(1, invented, 66, lease.ticket), Verdict::kUnwanted);
  EXPECT_TRUE(unit().results.empty());
  EXPECT_EQ(unit().leases.size(), 1u) << "the one who was leased it goes on";
  EXPECT_EQ(Say(1, lease, 7, lease.ticket), Verdict::kSend);
}

TEST_F(Leased, TicketIsValidAfterRestart) {
  Begin(1);
  const rpc::Lease lease = LeaseTo(1);
  core_.Restart();
  e_[0] = core_.Register("e1");
  core_.StateIsPrepared(id_);
  EXPECT_EQ(Say(1, lease, 7, lease.ticket), Verdict::kSend);
}

TEST_F(Leased, SecondLeaseOfHolderConfirmsNothing) {
  Begin(2, Verified());
  const rpc::Lease first = LeaseTo(1);
  EXPECT_EQ(Say(1, first, 66, first.ticket), Verdict::kSend);
  // The session ends before the bytes arrive, and the unit is leased to the same executor again.
  e_[0] = core_.Register("e1", {.incarnation = 2});
  const rpc::Lease again = LeaseTo(1);
  EXPECT_EQ(Say(1, again, 66, again.ticket), Verdict::kSend);
  core_.Stage(again, 66, e_[0]);
  EXPECT_EQ(unit().results.size(), 2u);
  EXPECT_FALSE(unit().Confirmed());
  const rpc::Lease second = LeaseTo(2);
  EXPECT_EQ(Say(2, second, 66, second.ticket), Verdict::kUnwanted);
  EXPECT_EQ(job().phase, Phase::kMerging) << "now it is";
}

TEST_F(Leased, OnlyExecutorConfirmsBySecondLease) {
  Begin(1, Verified());
  const rpc::Lease first = LeaseTo(1);
  EXPECT_EQ(Say(1, first, 7, first.ticket), Verdict::kSend);
  core_.Stage(first, 7, e_[0]);
  EXPECT_EQ(Say(1, first, 7, first.ticket), Verdict::kUnwanted) << "the same one again";
  EXPECT_EQ(job().phase, Phase::kTraining);
  const rpc::Lease again = LeaseTo(1);
  Say(1, again, 7, again.ticket);
  EXPECT_EQ(job().phase, Phase::kMerging);
}

TEST_F(Leased, CrashAtUnleasedUnitIsIgnored) {
  Begin(2);
  const rpc::Lease lease = LeaseTo(1);
  for (uint64_t incarnation = 2; incarnation < 8; ++incarnation) {
    e_[1] = core_.Register("e2", {.incarnation = incarnation,
                                  .crashed = {{.unit = lease.unit,
                                               .spec_sha256 = lease.spec_sha256,
                                               .signal = "SIGSEGV",
                                               .lease = lease.lease,
                                               .ticket = lease.ticket}}});
  }
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_TRUE(unit().errors.empty());
}

TEST_F(Leased, CrashAtClosedUnitCountsOnlyWithTicket) {
  JobDefinition definition = OneWorker();
  definition.epochs = 10;
  Begin(2, definition);
  const auto is_backed_off = [&] {
    const Json cluster = core_.Query("cluster", "");
    for (const Json& executor : cluster["executors"]) {
      if (executor["executor"] == "e2") return bool(executor["backed_off"]);
    }
    return false;
  };
  const auto report = [&](uint64_t incarnation, const std::vector<rpc::Lease>& leases, bool valid) {
    std::vector<rpc::CrashedUnit> crashed;
    for (const rpc::Lease& lease : leases) {
      crashed.push_back({.unit = lease.unit,
                         .spec_sha256 = lease.spec_sha256,
                         .signal = "SIGSEGV",
                         .lease = lease.lease,
                         .ticket = lease.ticket + (valid ? 0 : 1)});
    }
    e_[1] = core_.Register("e2", {.incarnation = incarnation, .crashed = crashed});
  };
  std::vector<rpc::Lease> leases;
  for (int64_t round = 1; round <= 2; ++round) {
    leases.push_back(LeaseTo(2));
    EXPECT_EQ(Say(2, leases.back(), 7, leases.back().ticket), Verdict::kSend);
    core_.Stage(leases.back(), 7, e_[1]);
    core_.RoundIsMerged(id_, round);
  }
  rpc::Lease future = leases[0];
  future.unit.round = 99;
  report(2, {leases[0], leases[1], future}, false);
  EXPECT_FALSE(is_backed_off());
  report(3, {future, leases[0]}, true);
  EXPECT_FALSE(is_backed_off()) << "only one of them was leased";
  report(4, leases, true);
  EXPECT_TRUE(is_backed_off());
}

TEST_F(Leased, FailureUnderOtherLeaseIsIgnored) {
  Begin(2);
  const rpc::Lease lease = LeaseTo(1);
  DL_EXPECT_OK(core_.ReportFailure(e_[1], lease, "internal"));
  EXPECT_TRUE(unit().errors.empty());
  DL_EXPECT_OK(core_.ReportFailure(e_[0], lease, "internal"));
  EXPECT_EQ(unit().errors.size(), 1u);
}

}  // namespace
}  // namespace dl::master
