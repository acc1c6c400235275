package ownergraph

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/run"
)

const (
	// cascadesField is the field of the record that has the trips and the answers of the brake.
	cascadesField = "cascades"
	// maxCascadesText bounds that field, and maxRecordText the record. A record has room for
	// 64 KiB in every store, so pauses have the other half.
	maxCascadesText = 32 << 10
	maxRecordText   = 64 << 10
)

// readFacts reads what the record has for the brake. Without a limit of cascades it does not
// count, and stays as it is.
func (c *Collector) readFacts(d *run.Document) ([]brake.Fact, error) {
	if c.cfg.Brake.PerCascade == 0 || d.Field(cascadesField) == nil {
		return nil, nil
	}
	list, err := brake.ReadFacts(d.Field(cascadesField))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cascadesField, err)
	}
	return list, nil
}

// takeFacts takes what the record has for the brake.
func (e *Engine) takeFacts(now time.Time, list []brake.Fact) {
	if e.broken == nil && e.cfg.Brake.PerCascade > 0 {
		e.tick(now)
		e.brake.TakeRecord(e.brakeView(), list)
		e.carryOut()
		e.endStep()
	}
}

// isUnrecorded reports whether the brake has something for the record.
func (c *Collector) isUnrecorded() (is bool) {
	c.locked(func(e *Engine, _ time.Time) { is = e.brake.Unrecorded() })
	return is
}

// letRecord has the record written soon, if the brake has something for it.
func (c *Collector) letRecord() {
	if c.record.store != nil && c.engine.brake.Unrecorded() {
		select {
		case c.record.due <- struct{}{}:
		default:
		}
	}
}

// noteUnwritten logs the error of a write for the brake, once.
func (c *Collector) noteUnwritten(err error) error {
	text := ""
	if err != nil && !errors.Is(err, ErrConflict) {
		text = err.Error()
	}
	c.locked(func(*Engine, time.Time) {
		if text != "" && text != c.record.unwritten {
			c.say(effect.Warn, "record cannot be written", "record", c.record.name, "err", text)
		}
		c.record.unwritten = text
	})
	return err
}

// mergeFacts returns the document of the record with what the brake has for it. Next gets the
// facts. Rest is the length of the document without them.
func (c *Collector) mergeFacts(was, next *content, rest int) run.Document {
	if c.cfg.Brake.PerCascade == 0 {
		return was.document
	}
	var texts [][]byte
	c.locked(func(e *Engine, _ time.Time) {
		next.facts = e.brake.MergeRecord(was.facts)
		next.facts, texts = c.fitFacts(e, next.facts, min(maxCascadesText, maxRecordText-rest))
	})
	if len(texts) == 0 && was.document.Field(cascadesField) == nil {
		return was.document
	}
	return was.document.With(cascadesField, fmt.Appendf(nil, "[%s]", bytes.Join(texts, []byte(","))))
}

// fitFacts drops the facts for which the record has no room. It says so for a cascade that
// holds objects.
func (c *Collector) fitFacts(e *Engine, list []brake.Fact, room int) (kept []brake.Fact, texts [][]byte) {
	size, drop := 2, map[int]bool{}
	for _, f := range list {
		text := brake.WriteFact(f)
		texts = append(texts, text)
		size += len(text) + 1
	}
	if size <= room {
		return list, texts
	}
	for _, i := range e.brake.Leaving(list) {
		if size <= room {
			break
		}
		k := list[i].Key
		size -= len(texts[i]) + 1
		if drop[i] = true; e.brake.Holds(k) {
			c.say(effect.Warn, "the record is full and leaves out a cascade that is held: after a restart it is counted anew",
				"record", c.record.name, "root", k.String(), "cause", list[i].State.String())
		}
		e.brake.LeaveOut(k)
	}
	var left [][]byte
	for i, f := range list {
		if !drop[i] {
			kept, left = append(kept, f), append(left, texts[i])
		}
	}
	return kept, left
}
