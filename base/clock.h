// Time, as an interface that tests can replace. Results never depend on time.
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
  // Wall time, in milliseconds since 1970. May jump in both directions. Decides what expires and
  // names processes; never part of a training result.
  virtual int64_t WallUnixMs() const = 0;
  // The clock of the operating system, or of the scheduler that a test installed. Thread-safe.
  static Clock& Real();
};

// Returns the processor time that the calling thread has used.
Duration ThreadTime();

double Seconds(Duration d);

}  // namespace dl
