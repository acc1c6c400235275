package fault

import (
	"slices"
	"time"
)

// task is work that runs a little later: after some calls, or when its time is
// over.
type task struct {
	s     *Store
	due   int // calls
	timer *time.Timer
	do    func()
}

// after runs the work a little later. After Calm, it runs the work at once.
func (s *Store) after(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.schedule(do)
}

// schedule is after, under the lock. The work runs without the lock.
func (s *Store) schedule(do func()) {
	t := &task{s: s, due: s.calls + callsUntilDue, do: do}
	s.tasks = append(s.tasks, t)
	wait := s.conf.Lag
	if s.calm {
		wait = 0
	}
	t.timer = time.AfterFunc(wait, t.expire)
}

// expire runs the task if no call has done so.
func (t *task) expire() {
	s := t.s
	s.mu.Lock()
	i := slices.Index(s.tasks, t)
	if i >= 0 {
		s.tasks = slices.Delete(s.tasks, i, i+1)
		s.running++
	}
	s.mu.Unlock()
	if i >= 0 {
		t.run()
	}
}

// run runs a task that is no longer in the list.
func (t *task) run() {
	t.timer.Stop()
	t.do()
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.running--
	t.s.idle.Broadcast()
}

// takeDue removes the tasks that are due from the list, or all tasks, and returns
// them. The caller has the lock.
func (s *Store) takeDue(all bool) (due []*task) {
	s.tasks = slices.DeleteFunc(s.tasks, func(t *task) bool {
		ready := all || t.due <= s.calls
		if ready {
			due = append(due, t)
			s.running++
		}
		return ready
	})
	return due
}
