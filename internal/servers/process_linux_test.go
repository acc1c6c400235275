package servers

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// parentVariable makes this test's program start another one and wait to be killed.
const parentVariable = "OWNERGRAPH_TEST_PARENT"

// TestDiesWithParent: the program that starts a server may be killed without a chance
// to stop it.
func TestDiesWithParent(t *testing.T) {
	if dir := os.Getenv(parentVariable); dir != "" {
		p, err := Launch(t.Context(), dir, "child", "/bin/sh", "-c", "read never < /dev/zero")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("child", p.PID())
		<-p.ended
		return
	}
	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiesWithParent$")
	parent.Env = append(os.Environ(), parentVariable+"="+t.TempDir())
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "child ")))
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed
	tick, end := time.NewTicker(10*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for syscall.Kill(child, 0) == nil && !zombie(child) {
		select {
		case <-tick.C:
		case <-end:
			_ = syscall.Kill(child, syscall.SIGKILL)
			t.Fatalf("process %d outlives its parent", child)
		}
	}
}

// zombie reports whether a process has ended and its parent has not waited for it.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(text), ") ")
	return err != nil || strings.HasPrefix(state, "Z")
}
