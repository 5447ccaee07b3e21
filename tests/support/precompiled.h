// What nearly every test reads, parsed once (cmake/precompiled.h).
#pragma once

#include "cmake/precompiled.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
