// Headers that nearly every test includes, parsed only once (cmake/precompiled.h).
#pragma once

#include "cmake/precompiled.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
