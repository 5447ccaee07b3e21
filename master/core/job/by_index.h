// A map from indices to values in one block of memory. A round has thousands of units, and several
// passes over them at its end: with a node for each, each pass waits for memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"

namespace dl::master {

// Values in ascending order of their indices. reserve() and an addition may move all values, so
// that references and iterators become invalid. Fast if values are added in order, and if the
// indices have few gaps. Not thread-safe.
template <typename T>
class ByIndex {
 public:
  using Entry = std::pair<int32_t, T>;
  using iterator = typename std::vector<Entry>::iterator;
  using const_iterator = typename std::vector<Entry>::const_iterator;

  void reserve(size_t size) { entries_.reserve(size); }
  // Adds T(args...), unless the index has a value. Returns the place of its value, and whether it
  // was added.
  template <typename... Args>
  std::pair<iterator, bool> try_emplace(int32_t index, Args&&... args) {
    const iterator place = entries_.begin() + (Place(index) - entries_.cbegin());
    if (place != entries_.end() && place->first == index) return {place, false};
    return {entries_.emplace(place, index, T(std::forward<Args>(args)...)), true};
  }

  iterator find(int32_t index) {
    return entries_.begin() + (std::as_const(*this).find(index) - entries_.cbegin());
  }
  const_iterator find(int32_t index) const {
    const const_iterator place = Place(index);
    return place != end() && place->first == index ? place : end();
  }
  bool contains(int32_t index) const { return find(index) != end(); }
  // REQUIRES: the index has a value.
  T& at(int32_t index) { return const_cast<T&>(std::as_const(*this).at(index)); }
  const T& at(int32_t index) const {
    const const_iterator place = find(index);
    DL_CHECK(place != end());
    return place->second;
  }

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }

 private:
  // Returns the first place whose index is not below `index`. Without gaps, it is the index itself.
  const_iterator Place(int32_t index) const {
    const auto guess = static_cast<size_t>(index);
    if (guess < size() && entries_[guess].first == index) return begin() + index;
    if (empty() || entries_.back().first < index) return end();
    return std::ranges::lower_bound(entries_, index, {}, &Entry::first);
  }

  std::vector<Entry> entries_;
};

}  // namespace dl::master
