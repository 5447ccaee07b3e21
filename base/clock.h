// Time, as an interface that tests can replace. The result of a unit never depends on time.
#pragma once

#include <chrono>
#include <cstdint>

namespace dl {

using Duration = std::chrono::nanoseconds;

// A point on a monotonic clock, in nanoseconds since an arbitrary point. Instants of two processes,
// or of two clocks, cannot be compared.
struct Instant {
  int64_t ns = 0;
  auto operator<=>(const Instant&) const = default;
  Instant operator+(Duration d) const { return {ns + d.count()}; }
  Instant operator-(Duration d) const { return {ns - d.count()}; }
  Duration operator-(Instant other) const { return Duration(ns - other.ns); }
  static constexpr Instant Max() { return {INT64_MAX}; }
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant Now() const = 0;  // monotonic
  // Wall time, in milliseconds since 1970. May jump in both directions. Used for expiry, for
  // timestamps in logs and records, and to number the starts of executors. Never part of a training
  // result.
  virtual int64_t WallUnixMs() const = 0;
  // Returns the clock of the operating system. If a test installed a Scheduler (base/scheduler.h)
  // on the calling thread, returns the clock of that scheduler. Any thread may call this function.
  static Clock& Real();
};

// Returns the processor time that the calling thread has used.
Duration ThreadTime();

// Converts a duration to seconds, with their fraction.
double Seconds(Duration d);

}  // namespace dl
