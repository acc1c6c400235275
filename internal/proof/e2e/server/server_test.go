package server

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// user is a client of a server.
func user(t *testing.T, c *rest.Config) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestServer follows a server from its start to its end. It tests the users that may
// log in, and the data after a restart and a restore. At the end no file and no process
// is left.
func TestServer(t *testing.T) {
	// The first build takes minutes.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	s, err := Start(ctx, Config{Users: []string{"somebody"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	for _, c := range []struct {
		config *rest.Config
		want   func(error) bool
		reason string
	}{
		{s.Admin(), func(err error) bool { return err == nil }, "the administrator may do everything"},
		{s.User("somebody"), apierrors.IsForbidden, "a user is known, and may do nothing yet"},
		{s.User("nobody"), apierrors.IsUnauthorized, "no user has that name"},
	} {
		if _, err := user(t, c.config).CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{}); !c.want(err) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
	kept := create(ctx, t, s, "kept")
	restore, err := s.Backup(ctx)
	if err != nil {
		t.Fatal(err)
	}
	create(ctx, t, s, "lost")
	if err := s.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if names := list(ctx, t, s); names != "kept lost" {
		t.Errorf("a restart keeps %q", names)
	}
	if err := restore(ctx); err != nil {
		t.Fatal(err)
	}
	if names := list(ctx, t, s); names != "kept" {
		t.Errorf("a restore brings %q", names)
	}
	compacts(ctx, t, s, kept)
	ends(t, s)
}

func create(ctx context.Context, t *testing.T, s *Server, name string) (version string) {
	t.Helper()
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	o, err := user(t, s.Admin()).CoreV1().ConfigMaps("default").Create(ctx, o, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return o.ResourceVersion
}

// list uses the kubeconfig, as users of the play command do.
func list(ctx context.Context, t *testing.T, s *Server) string {
	t.Helper()
	path, err := s.Kubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	c, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	found, err := user(t, c).CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, o := range found.Items {
		names = append(names, o.Name)
	}
	return strings.Join(names, " ")
}

// compacts: a watch from a version before the compaction has to begin anew.
func compacts(ctx context.Context, t *testing.T, s *Server, before string) {
	t.Helper()
	create(ctx, t, s, "later")
	if err := s.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	w, err := user(t, s.Admin()).CoreV1().ConfigMaps("default").Watch(ctx, metav1.ListOptions{ResourceVersion: before})
	if err == nil {
		defer w.Stop()
		err = apierrors.FromObject((<-w.ResultChan()).Object)
	}
	if !apierrors.IsGone(err) && !apierrors.IsResourceExpired(err) {
		t.Errorf("a watch from before the compaction: %v", err)
	}
}

func ends(t *testing.T, s *Server) {
	t.Helper()
	etcd, api := s.PIDs()
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	for _, pid := range []int{etcd, api} {
		if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
			t.Errorf("process %d has not ended", pid)
		}
	}
	if _, err := os.Stat(s.Dir()); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("the second stop: %v", err)
	}
}

// TestStartFails: a failed start gives the reason, and leaves no file and no process.
func TestStartFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		config Config
		want   string
		reason string
	}{
		{Config{Flags: []string{"--no-such-flag"}}, "unknown flag: --no-such-flag", "the log's end is in the error"},
		{Config{EtcdFlags: []string{"--no-such-flag"}}, "etcd has ended", "the one that ended is named"},
		{Config{Users: []string{"a,b"}}, `Users: "a,b" is no name`, "it would be read as several fields"},
		{Config{Users: []string{admin}}, `Users: "admin" is no name`, "there is one already"},
		{Config{ReadyWithin: time.Nanosecond}, "deadline exceeded", "the wait is bounded"},
	} {
		s, err := Start(t.Context(), c.config)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q: %s", err, c.want, c.reason)
		}
		if s != nil {
			t.Errorf("a server all the same: %s", c.reason)
		}
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
