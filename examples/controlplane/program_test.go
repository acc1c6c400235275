package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const patience = time.Minute // for one step of a program

// binary is the built program. The one of the folder old has the suffix "-old".
var binary string

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "controlplane-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "controlplane")
	for path, program := range map[string]string{".": binary, "./old": binary + "-old"} {
		build := exec.Command("go", "build", "-o", program, path)
		build.Env = append(os.Environ(), "GOWORK=off") // this module is in no workspace
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
			return 1
		}
	}
	defer stopServers()
	return m.Run()
}

// program is a running control plane.
type program struct {
	t     *testing.T
	cmd   *exec.Cmd
	url   string
	log   lockedBuffer
	ended chan struct{}
	err   error // once ended is closed
}

// lockedBuffer collects the log of a process.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// place is a store and a folder, on which programs run.
type place struct{ store, data string }

// start starts a program and waits until it is ready.
func start(t *testing.T, at place, flags ...string) *program {
	t.Helper()
	p := &program{t: t, cmd: exec.Command(binary, append(flags, "-listen", "127.0.0.1:0", "-store", at.store, "-data", at.data)...), ended: make(chan struct{})}
	p.cmd.Stderr = &p.log
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if url, ok := strings.CutPrefix(lines.Text(), "ready on "); ok {
				ready <- url
			}
		}
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	select {
	case p.url = <-ready:
	case <-p.ended:
		t.Fatalf("the program ended: %v\n%s", p.err, p.log.String())
	case <-time.After(patience):
		t.Fatalf("the program is not ready\n%s", p.log.String())
	}
	return p
}

// kill ends the program with SIGKILL.
func (p *program) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// stop ends the program with SIGTERM, and checks that it ends in order.
func (p *program) stop() {
	p.t.Helper()
	p.terminate()
	p.mustEnd()
}

func (p *program) terminate() {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Errorf("SIGTERM: %v", err)
	}
}

// mustEnd waits until the program has ended in order.
func (p *program) mustEnd() {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatalf("SIGTERM: the program goes on\n%s", p.log.String())
	}
	if p.err != nil {
		p.t.Fatalf("SIGTERM: %v\n%s", p.err, p.log.String())
	}
}

// call makes a request, and returns the status and the body.
func (p *program) call(method, path, body string) (int, string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	answer, err := (&http.Client{Timeout: patience}).Do(r)
	if err != nil {
		p.t.Fatalf("%s %s: %v\n%s", method, path, err, p.log.String())
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer.StatusCode, string(text)
}

// want makes a request that has to have the status, and returns the body.
func (p *program) want(status int, method, path, body string) string {
	p.t.Helper()
	got, text := p.call(method, path, body)
	if got != status {
		p.t.Fatalf("%s %s: status %d, want %d: %s%s", method, path, got, status, text, p.log.String())
	}
	return text
}

// create creates an object and returns its UID.
func (p *program) create(path, name string, owners ...string) string {
	p.t.Helper()
	body, err := json.Marshal(map[string]any{"name": name, "owners": owners, "spec": map[string]string{"of": name}})
	if err != nil {
		p.t.Fatal(err)
	}
	var made record
	if err := json.Unmarshal([]byte(p.want(http.StatusCreated, "POST", path, string(body))), &made); err != nil {
		p.t.Fatal(err)
	}
	return string(made.Object.UID)
}

// names lists the names of a kind.
func (p *program) names(path string) (names []string) {
	p.t.Helper()
	for query, more := "", true; more; more = query != "" {
		var page struct {
			Names []string
			After string
		}
		if err := json.Unmarshal([]byte(p.want(http.StatusOK, "GET", path+query, "")), &page); err != nil {
			p.t.Fatal(err)
		}
		names, query = append(names, page.Names...), ""
		if page.After != "" {
			query = "?after=" + url.QueryEscape(page.After)
		}
	}
	return names
}
