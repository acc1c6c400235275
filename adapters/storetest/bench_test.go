package storetest

import "testing"

func BenchmarkMemory(b *testing.B) { Bench(b, Config{New: memorySubject}) }

func BenchmarkRelisting(b *testing.B) { Bench(b, relistingConfig()) }
