package promstats

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// promtool returns the path of promtool: the installed one, or the one of Debian's package
// prometheus. It unpacks the package without its dependencies into the cache of the user.
func promtool(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("promtool"); err == nil {
		return path
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "ownergraph", "prometheus")
	path := filepath.Join(dir, "usr", "bin", "promtool")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	half, err := os.MkdirTemp("", "prometheus-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(half) })
	if _, err := command(t, half, "apt-get", "download", "prometheus"); err != nil {
		if out, err := command(t, half, "apt-get", "update", "-qq"); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if out, err := command(t, half, "apt-get", "download", "prometheus"); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	packages, err := filepath.Glob(filepath.Join(half, "prometheus_*.deb"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("%d packages were downloaded, error %v", len(packages), err)
	}
	unpacked := filepath.Join(half, "unpacked")
	if out, err := command(t, half, "dpkg-deb", "-x", packages[0], unpacked); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, half, "mv", filepath.Join(unpacked, "usr", "bin", "promtool"), path); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// command runs a command in a folder and returns its output.
func command(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
