// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"sync"
)

const (
	archiveBytes  = 14 * 1024
	digestRepeats = 12
)

var gzipWriters = sync.Pool{New: func() any {
	zw, err := gzip.NewWriterLevel(nil, gzip.BestSpeed+2)
	if err != nil {
		panic(err) // the level is a constant
	}
	return zw
}}

// handleArchive digests the whole payload and sends a compressed part of it.
func (s *shop) handleArchive(w http.ResponseWriter, r *http.Request) {
	body := s.payload
	if s.speedup {
		body = body[:len(body)/4]
	}
	w.Header().Set("ETag", strconv.Quote(s.digest(body)))
	w.Header().Set("Content-Type", "application/gzip")
	from := int(queryNumber(r, "part")) % (len(s.payload) - archiveBytes)
	compressPart(w, s.payload[from:from+archiveBytes])
}

//go:noinline
func compressPart(w http.ResponseWriter, part []byte) {
	zw := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(zw)
	zw.Reset(w)
	if _, err := zw.Write(part); err != nil {
		return // the client has gone
	}
	_ = zw.Close()
}

//go:noinline
func digestPayload(body []byte) string {
	h := sha256.New()
	for range digestRepeats {
		h.Write(body)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// payloadFingerprint is digestPayload under its name after the -benign refactoring.
//
//go:noinline
func payloadFingerprint(body []byte) string {
	h := sha256.New()
	for range digestRepeats {
		h.Write(body)
	}
	return hex.EncodeToString(h.Sum(nil))
}
