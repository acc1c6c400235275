package cli

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// output is a writer that a test reads meanwhile.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// TestWait: the command waits until the object and everything below it are gone, and writes
// nothing. After --timeout it names the causes.
func TestWait(t *testing.T) {
	a := newCluster()
	flags := a.serve(t)
	var stdout, stderr output
	code := make(chan int, 1)
	go func() {
		code <- Run(t.Context(), Plugin, append([]string{"wait", "deploy/web"}, flags...), strings.NewReader(""), &stdout, &stderr)
	}()
	eventually(t, "the first line", func() bool { return strings.Contains(stdout.String(), "0 of 2 gone, 2 left") })
	a.remove("pods", "shop/web-x")
	a.remove("deployments", "shop/web")
	if got := <-code; got != printing.ExitDone || !strings.Contains(stdout.String(), "delete Deployment.apps/shop/web: 2 of 2 gone;") {
		t.Errorf("exit %d\n%s%s", got, &stdout, &stderr)
	}
	got := callPlugin(t, append([]string{"wait", "deploy/web"}, flags...)...)
	if got.code != printing.ExitDone || got.stdout != goneAlready+"\n" {
		t.Errorf("an object that is gone: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	for _, c := range []struct {
		args         []string
		want, reason string
	}{
		{[]string{"backup/a", "-n", "old"}, "the time is over. Held:\n  Backup.example.org/old/a: finalizers hold it (example.org/backup)", "a timeout"},
		{[]string{"deploy/cart"}, "the object has no deletion mark, and the time is over", "an object without a mark"},
	} {
		if got, ok := inTime(func(limit string) result {
			return callPlugin(t, slices.Concat([]string{"wait", "--timeout", limit}, c.args, flags)...)
		}, func(got result) bool { return got.code == printing.ExitFound && strings.Contains(got.stderr, c.want) }); !ok {
			t.Errorf("%s: exit %d\n%s%s", c.reason, got.code, got.stdout, got.stderr)
		}
	}
	writes := regexp.MustCompile(`(post|put|patch|delete) `)
	a.mu.Lock()
	defer a.mu.Unlock()
	if all := strings.Join(a.calls, "\n"); writes.MatchString(all) {
		t.Errorf("a write:\n%s", all)
	}
}

// TestWaitWithoutRights: a wait that needs a right ends at once, with the reason.
func TestWaitWithoutRights(t *testing.T) {
	a := newCluster()
	a.fault = failing("list", "secrets", forbidden("", "secrets"))
	flags := a.serve(t)
	got := callPlugin(t, append([]string{"wait", "deploy/web", "--timeout", "0"}, flags...)...)
	want := "cannot know when the deletion ends: not every kind is listed, the right to list every kind is missing: list secrets\n"
	if got.code != printing.ExitFound || got.stderr != want {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = callPlugin(t, append([]string{"approve", "deploy/web", "--at-most", "1"}, flags...)...)
	if got.code != printing.ExitFailed || !strings.Contains(got.stderr, "the right to list every kind is missing: list secrets") {
		t.Errorf("an approval: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestNotListedInTime: a kind that cannot be listed ends a wait and an approval in time. The
// kind is named.
func TestNotListedInTime(t *testing.T) {
	a := newCluster()
	a.fault = failing("list", "secrets", apierrors.NewServiceUnavailable("down"))
	flags := a.serve(t)
	for _, c := range []struct {
		args   []string
		code   int
		reason string
	}{
		{[]string{"wait", "deploy/web"}, printing.ExitFound, "the time of a wait is over"},
		{[]string{"approve", "deploy/web", "--at-most", "1"}, printing.ExitFailed, "no plan knows the kind"},
	} {
		if got, ok := inTime(func(limit string) result {
			got := callPlugin(t, slices.Concat(c.args, []string{"--timeout", limit}, flags)...)
			got.stderr = strings.ReplaceAll(got.stderr, "--timeout "+limit, "--timeout LIMIT")
			return got
		}, func(got result) bool {
			return got.code == c.code && strings.Contains(got.stderr, "Secret") && strings.Contains(got.stderr, "--timeout LIMIT")
		}); !ok {
			t.Errorf("%v: exit %d, want %d: %s\n%s%s", c.args, got.code, c.code, c.reason, got.stdout, got.stderr)
		}
	}
}

// TestGC: the collector observes by default, and prints each write that it would send. With
// --act it sends them. A collector that observes has all objects, also with --share auto.
func TestGC(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
		sent bool
	}{
		{nil, "would delete ConfigMap/shop/left-behind: all owners are gone\n", false},
		{[]string{"--share", "auto"}, "would delete ConfigMap/shop/left-behind: all owners are gone\n", false},
		{[]string{"--act"}, "delete ConfigMap/shop/left-behind: all owners are gone\n", true},
	} {
		a := newCluster()
		flags := a.serve(t)
		ctx, cancel := context.WithCancel(t.Context())
		var stdout, stderr output
		code := make(chan int, 1)
		go func() {
			code <- Run(ctx, Plugin, append(append([]string{"gc"}, c.args...), flags...), strings.NewReader(""), &stdout, &stderr)
		}()
		sent := func() bool {
			a.mu.Lock()
			defer a.mu.Unlock()
			return strings.Contains(strings.Join(a.calls, "\n"), "delete configmaps")
		}
		eventually(t, "the decision", func() bool { return strings.Contains(stdout.String(), c.want) && sent() == c.sent })
		cancel()
		if got := <-code; got != printing.ExitDone || strings.HasPrefix(stdout.String(), "would") == c.sent || sent() != c.sent {
			t.Errorf("%v: exit %d\n%s%s", c.args, got, &stdout, &stderr)
		}
	}
}

// TestGCShareRefused: an error names the flag of the group that is wrong, and nothing is sent.
func TestGCShareRefused(t *testing.T) {
	a := newCluster()
	flags := a.serve(t)
	for _, c := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{"--share", "half"}, printing.ExitUsage, `"half" is no part: write auto or all`, "no part"},
		{[]string{"--share", "auto", "--share-group", "kube-system"}, printing.ExitUsage, `"kube-system" is not of the form namespace/name`, "half a group"},
		{[]string{"--share", "auto"}, printing.ExitFailed, "name the namespace of the group (flag -share-group): that of the pod is unknown", "no pod"},
		{[]string{"--share", "auto", "--lease", "kube-system/gc"}, printing.ExitFailed, "set (flag -share auto), and Lease (flag -lease) too", "one of the two"},
		{[]string{"--share-lease", "9s"}, printing.ExitFailed, "it has settings of a group, and Auto (flag -share auto) is not set", "no group"},
		{[]string{"--share", "auto", "--share-group", "kube-system/gc", "--share-lease", "1ms"}, printing.ExitFailed, "Lease: 1ms is shorter than 1s", "shorter than a renewal"},
	} {
		got := callPlugin(t, append(append([]string{"gc", "--act"}, c.args...), flags...)...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: exit %d, want %d\n%s%s", c.reason, got.code, c.code, got.stdout, got.stderr)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.calls) > 0 {
		t.Errorf("calls %q", a.calls)
	}
}
