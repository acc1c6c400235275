package e2e

import (
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// instructions returns the lines of the Dockerfile without comments.
func instructions(t *testing.T) (out []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(manifests, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// imageContext copies the files that the Dockerfile.dockerignore leaves in the context.
func imageContext(t *testing.T) (dir string) {
	t.Helper()
	f, err := os.Open(filepath.Join(manifests, "Dockerfile.dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	patterns, err := ignorefile.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	ignore, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	root := os.DirFS("../../..")
	err = fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if left, err := ignore.MatchesOrParentMatches(name); err != nil || left {
			return err
		}
		text, err := fs.ReadFile(root, name)
		to := filepath.Join(dir, filepath.FromSlash(name))
		return errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o600))
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// image carries out the RUN line of the Dockerfile, and returns the program that it builds.
func image(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "collector")
	for _, line := range instructions(t) {
		command, is := strings.CutPrefix(line, "RUN ")
		if !is {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(command, " -o /collector ", " -o "+path+" ", 1))
		cmd.Dir = imageContext(t)
		cmd.Env = append(os.Environ(), "GOFLAGS=", "TARGETOS="+runtime.GOOS, "TARGETARCH="+runtime.GOARCH)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	return path
}

var goLine = regexp.MustCompile(`(?m)^go ([0-9.]+)$`)

var goImage = regexp.MustCompile(`^FROM --platform=\$BUILDPLATFORM docker\.io/library/golang:([0-9.]+) AS build$`)

// TestDockerfile: the Dockerfile has a pinned Go of the version that the program needs, no user
// with rights, and nothing in the image but the program and the certificates. Its RUN line builds
// a static program. That program finds the rights of the base sufficient to observe, and names
// those that it lacks to act.
func TestDockerfile(t *testing.T) {
	lines := instructions(t)
	from := goImage.FindStringSubmatch(lines[0])
	text, err := os.ReadFile("../../../examples/collector/go.mod")
	needed := goLine.FindStringSubmatch(string(text))
	if err != nil || from == nil || needed == nil || version.Compare("go"+from[1], "go"+needed[1]) < 0 {
		t.Errorf("the first line is %s, and the program needs %v, %v", lines[0], needed, err)
	}
	second := slices.Index(lines, "FROM scratch")
	want := []string{
		"FROM scratch", "COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/", "COPY --from=build /collector /usr/local/bin/collector",
		"ENV PATH=/usr/local/bin", "USER 65532:65532", `ENTRYPOINT ["/usr/local/bin/collector"]`,
	}
	if second < 0 || !slices.Equal(lines[second:], want) {
		t.Errorf("the image is made by %q", lines)
	}
	path := image(t)
	if program, err := elf.Open(path); err != nil || slices.ContainsFunc(program.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Errorf("the program is not static: %v", err)
	}
	if i, err := buildinfo.ReadFile(path); err != nil || i.Path != "github.com/ownergraph/ownergraph/examples/collector" {
		t.Errorf("the program is %+v, %v", i, err)
	}
	w := begin(t)
	base, act := w.apply(filepath.Join(manifests, "base")), w.render(filepath.Join(manifests, "act"))
	w.granted(base)
	user, _ := w.serviceAccount()
	for _, c := range []struct {
		of     rendered
		want   string
		reason string
	}{
		{base, "", "the base has the rights to observe"},
		{act, "delete *.*\npatch *.*\ncreate leases.coordination.k8s.io ownergraph\ndelete leases.coordination.k8s.io ownergraph\n" +
			"update leases.coordination.k8s.io ownergraph\n", "the overlay adds the rights to act, and those of a member"},
	} {
		cmd := exec.CommandContext(w.ctx, path, append(c.of.args(t), "-check")...)
		cmd.Env = []string{"KUBECONFIG=" + w.kubeconfigOf(user)}
		var exit *exec.ExitError
		out, err := cmd.Output()
		if string(out) != c.want || errors.As(err, &exit) != (c.want != "") {
			t.Errorf("%s: it prints %q, want %q: %v", c.reason, out, c.want, err)
		}
	}
}

// kubeconfigOf writes the config of a user into a file.
func (w *world) kubeconfigOf(user *rest.Config) (path string) {
	w.t.Helper()
	c := api.NewConfig()
	c.Clusters["c"] = &api.Cluster{Server: user.Host, CertificateAuthority: user.CAFile}
	c.AuthInfos["u"] = &api.AuthInfo{Token: user.BearerToken}
	c.Contexts["c"], c.CurrentContext = &api.Context{Cluster: "c", AuthInfo: "u"}, "c"
	path = filepath.Join(w.t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*c, path); err != nil {
		w.t.Fatal(fmt.Errorf("write kubeconfig: %w", err))
	}
	return path
}
