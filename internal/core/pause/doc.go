// Package pause has the pauses of one engine (RULES, G6). A pause covers everything, one
// scope or one kind. The engine begins no write and no run of a handler for an object that
// a pause covers.
//
// A pause is the engine's own, or it is recorded: the record of the program has it. The
// machine covers everything while the record is unknown. It also names the writes of
// unknown outcome, until the watch has shown another version or the end of their objects.
//
// After the end of a pause, a walk over all nodes asks for new decisions.
package pause
