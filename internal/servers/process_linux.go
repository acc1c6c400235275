package servers

import (
	"os/exec"
	"syscall"
)

// dieWithParent ends the program with the thread that starts it, and keeps an interrupt of
// the terminal from it.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
