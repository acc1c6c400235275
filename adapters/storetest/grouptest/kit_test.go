package grouptest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/kits"
)

// recorder keeps the failure of a law.
type recorder struct {
	testing.TB
	text string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.text += fmt.Sprintf(format, args...) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// judge runs each law in a bubble, and returns the names of the broken ones with their texts.
// It ends with a basic one.
func judge(t *testing.T, c Config) (list []string, texts string) {
	for _, l := range laws() {
		synctest.Test(t, func(t *testing.T) {
			r := &recorder{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				l.try(r, c)
			}()
			<-done
			<-time.After(2 * time.Hour) // a call that outlasts its law ends
			if r.text != "" {
				list = append(list, l.name)
				texts += "\n" + l.name + ": " + r.text
			}
		})
	}
	return list, texts
}

// TestMutants: a sound coordinator keeps all laws. The first law that a bug breaks is the one
// that names the bug. Others may rest on it.
func TestMutants(t *testing.T) {
	for _, m := range append(mutants(), mutant{"no bug", "", "the group in memory is sound", sound}) {
		t.Run(m.name, func(t *testing.T) {
			got, texts := judge(t, Config{Lease: time.Second, New: func(testing.TB) System { return m.system() }})
			if first := append(got, "")[0]; first != m.law {
				t.Errorf("breaks %q first, want %q: %s%s", first, m.law, m.reason, texts)
			}
		})
	}
}

// TestEveryLawHasAMutant: a law that no bug breaks first may be unable to fail.
func TestEveryLawHasAMutant(t *testing.T) {
	var names, broken []string
	for _, l := range laws() {
		names = append(names, l.name)
	}
	for _, m := range mutants() {
		broken = append(broken, m.law)
	}
	kits.CheckLaws(t, names, broken)
}

// TestConfigErrors: a wrong setting is named, and no law runs.
func TestConfigErrors(t *testing.T) {
	system := func(testing.TB) System { return System{} }
	for _, c := range []struct {
		conf         Config
		want, reason string
	}{
		{Config{Lease: 1}, "New: nil", "there is nothing to test"},
		{Config{New: system}, "Lease: want more than 0 and at most 1h0m0s", "no lease is the shortest"},
		{Config{New: system, Lease: 2 * time.Hour}, "Lease: want more than 0 and at most 1h0m0s", "no coordinator takes it"},
		{Config{New: system, Lease: 1, Patience: -1}, "Patience: negative", "no call would return in time"},
		{Config{New: system, Lease: 1}, "", "the other settings have defaults"},
	} {
		if got := c.conf.wrong(); got != c.want {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
	_, texts := judge(t, Config{New: system, Lease: 1})
	if want := "members/self: grouptest: System.Open: nil"; !strings.Contains(texts, want) {
		t.Errorf("a system without coordinators: %s, want %s", texts, want)
	}
}
