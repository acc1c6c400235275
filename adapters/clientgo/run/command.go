package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/recordcheck"
)

// Command is one order of a user. Run carries it out and ends, and collects nothing. All
// commands but Retire change the record of Engine.Record. The programs that run obey within
// 10 s. It is a value.
type Command struct {
	Verb Verb
	// What is the range of Pause and Resume.
	What engine.Extent
	// Unchecked pauses also a record that no collector has announced itself in, and a kind or a
	// namespace that does not exist. Without it such a pause is an error.
	Unchecked bool
	// Approve and Refuse answer for the held cascade of this root, or for All of them.
	Cascade graph.UID
	All     bool
	// AtMost and For bound the deletes and the time of Approve, for each cascade and each
	// program. For is an hour by default.
	AtMost int
	For    time.Duration
	// Refusal is the answer of Refuse.
	Refusal engine.Refusal
	// Finalizer is that of Retire: see ownergraph.Collector.Retire.
	Finalizer string
}

// Verb is the kind of a Command.
type Verb uint8

const (
	// VerbUnset is no command.
	VerbUnset Verb = iota
	// Pause stops the writes and handlers for a range.
	Pause
	// Resume ends a pause.
	Resume
	// Approve lets deletes go that the brake holds.
	Approve
	// Refuse keeps what the brake holds, or removes its owners.
	Refuse
	// Retire takes a finalizer of former guards or sweeps off all objects.
	Retire
)

var verbNames = [...]string{"unset", "pause", "resume", "approve", "refuse", "retire"}

// String returns the verb.
func (v Verb) String() string {
	if int(v) < len(verbNames) {
		return verbNames[v]
	}
	return fmt.Sprintf("verb(%d)", uint8(v))
}

// check returns the fault of a command, apart from that of its range.
func (c *Command) check() error {
	switch {
	case c.Verb > Retire:
		return errors.New("no verb of the list")
	case (c.Verb == Approve || c.Verb == Refuse) && c.All == (c.Cascade != ""):
		return errors.New("it takes uid=UID of a root, or all")
	case c.Verb == Approve && (c.AtMost < 1 || c.For < 0):
		return errors.New("it takes atmost=NUMBER, the most deletes of a cascade")
	case c.Verb == Refuse && c.Refusal == engine.RefusalUnset:
		return errors.New("it takes keep or orphan")
	case c.Verb == Retire && c.Finalizer == "":
		return errors.New("it takes the name of a finalizer")
	}
	return nil
}

// usesRecord reports whether a command changes the record.
func (c *Command) usesRecord() bool { return c.Verb != VerbUnset && c.Verb != Retire }

// carryOut carries out the command of the config.
//
//test:by TestCommandPause TestCommandAnswers TestCommandRetire
func (p *Program) carryOut(ctx context.Context) error {
	c := p.config.Command
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	var err error
	switch c.Verb {
	case Pause:
		err = p.pause(ctx, &c)
	case Resume:
		err = p.resume(ctx, c.What)
	case Approve, Refuse:
		err = p.answerCascades(ctx, &c)
	case Retire:
		err = p.retire(ctx, c.Finalizer)
	}
	if err != nil {
		return fmt.Errorf("run: %w", recordcheck.Unrecorded(err))
	}
	return nil
}

func (p *Program) pause(ctx context.Context, c *Command) error {
	if err := p.checkPause(ctx, c); err != nil {
		return err
	}
	if _, err := p.collector.Pause(ctx, c.What); err != nil {
		return err
	}
	p.log.Info("pause recorded: each program with this record confirms it in its log, within 10 s", "extent", c.What.String(), "record", p.recordText())
	return nil
}

func (p *Program) resume(ctx context.Context, x engine.Extent) error {
	if err := recordcheck.Paused(ctx, p.store, p.config.Engine.Record, x); err != nil {
		return err
	}
	if err := p.collector.Resume(ctx, x); err != nil {
		return err
	}
	p.log.Info("the pause is out of the record: each program with this record resumes within 10 s", "extent", x.String(), "record", p.recordText())
	return nil
}

// checkPause returns the fault of a pause that would stop nothing. A namespace that the account may
// not read counts as one that exists.
//
//test:by TestCommandPauseOfNothing
func (p *Program) checkPause(ctx context.Context, c *Command) error {
	if c.Unchecked {
		return nil
	}
	const goOn = "To pause all the same, add the term unchecked"
	if err := recordcheck.Announced(ctx, p.store, p.config.Engine.Record, "Before the first start of a collector, or for one of an older version, add the term unchecked"); err != nil {
		return err
	}
	if kind := c.What.Kind; kind != "" {
		if _, err := p.store.Get(ctx, graph.Key{Kind: kind}); errors.Is(err, graph.ErrKindUnknown) { // without a name, it asks for no object
			return fmt.Errorf("kind %q: the server has no such kind. %s", string(kind), goOn)
		}
	}
	if scope := c.What.Scope; scope != "" {
		if _, err := p.store.Get(ctx, graph.Key{Kind: namespaceKind, Name: scope}); errors.Is(err, graph.ErrNotFound) {
			return fmt.Errorf("namespace %q: it does not exist. %s", scope, goOn)
		}
	}
	return nil
}

// commandTimeout bounds the time of a command.
const commandTimeout = 10 * time.Minute

func (p *Program) recordText() string { return recordFlag{&p.config}.String() }

// answerCascades answers for the cascades that the record has.
func (p *Program) answerCascades(ctx context.Context, c *Command) (err error) {
	approval := engine.BrakeApproval{Until: time.Now().Add(cmp.Or(c.For, time.Hour)), AtMost: c.AtMost}
	n, key := 1, ownergraph.Key{UID: c.Cascade}
	switch {
	case c.Verb == Approve && c.All:
		n, err = p.collector.ApproveBraked(ctx, approval)
	case c.Verb == Approve:
		err = p.collector.ApproveCascade(ctx, key, approval)
	case c.All:
		n, err = p.collector.RefuseBraked(ctx, c.Refusal)
	default:
		err = p.collector.RefuseCascade(ctx, key, c.Refusal)
	}
	if err == nil {
		p.log.Info("answer recorded: each program with this record obeys within 10 s", "answer", c.Verb.String(), "count", n, "record", p.recordText())
	}
	return err
}

// retire observes the objects, and takes the finalizer off them.
func (p *Program) retire(ctx context.Context, finalizer string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- p.collector.Run(ctx) }()
	out, err := ownergraph.Retired{}, p.collector.Synced(ctx)
	if err == nil {
		out, err = p.collector.Retire(ctx, finalizer)
	}
	cancel()
	if stopped := <-done; stopped != nil && (err == nil || errors.Is(err, ownergraph.ErrClosed)) {
		err = stopped
	}
	p.log.Info("finalizer retired", "finalizer", finalizer, "count", out.Objects, "others", len(out.Left))
	if err == nil && len(out.Left) > 0 {
		err = fmt.Errorf("retire %q: %d marked roots keep it: approve or refuse each of them: %s: %w",
			finalizer, len(out.Left), listed(out.Left), graph.ErrRefused)
	}
	return err
}
