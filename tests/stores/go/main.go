// SPDX-License-Identifier: Apache-2.0

// Command stores serves Pyroscope's and Parca's query services on loopback, by the stubs of the projects' own modules:
// what pprofgate asks is decoded by their code, and what it reads is encoded by it. Profiles are those of a folder, told
// apart by the label "version"; one file for each minute.
//
//	usage: stores FIXTURES ADDRESS-FILE SECONDS
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"
	googlev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/querier/v1/querierv1connect"
	"github.com/improbable-eng/grpc-web/go/grpcweb"
	parca "github.com/parca-dev/parca/gen/proto/go/parca/query/v1alpha1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const tenant = "team-a"

// files has the packed profiles of a label's value at a moment; nil where there is none.
func files(root, selector string, startMs int64) []byte {
	prefixes := map[string]string{`version="1.4"`: "mix", `version="1.5"`: "p10"}
	for label, prefix := range prefixes {
		if !strings.Contains(selector, label) {
			continue
		}
		found, err := filepath.Glob(filepath.Join(root, "captures", prefix+"-*.cpu.pb.gz"))
		if err != nil || len(found) == 0 {
			return nil
		}
		sort.Strings(found)
		data, err := os.ReadFile(found[startMs/60000%int64(len(found))])
		if err != nil {
			return nil
		}
		return data
	}
	return nil
}

func unpack(data []byte) (*googlev1.Profile, error) {
	profile := &googlev1.Profile{}
	if data == nil {
		return profile, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(reader)
	if err != nil {
		return nil, err
	}
	return profile, proto.Unmarshal(raw, profile)
}

// pyroscope is a querier; `isOld` knows only the older method.
type pyroscope struct {
	querierv1connect.UnimplementedQuerierServiceHandler
	root  string
	isOld bool
}

func (p *pyroscope) find(header http.Header, kind, selector string, start, end int64) (*googlev1.Profile, error) {
	if header.Get("X-Scope-OrgID") != tenant {
		return nil, connect.NewError(connect.CodeUnauthenticated, errors.New("no org id"))
	}
	if kind != "process_cpu:cpu:nanoseconds:cpu:nanoseconds" || start >= end || end%1000 != 999 {
		return nil, connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("%q from %d to %d", kind, start, end))
	}
	return unpack(files(p.root, selector, start))
}

func (p *pyroscope) SelectMergeStacktraces(ctx context.Context, r *connect.Request[querierv1.SelectMergeStacktracesRequest]) (*connect.Response[querierv1.SelectMergeStacktracesResponse], error) {
	if p.isOld {
		return p.UnimplementedQuerierServiceHandler.SelectMergeStacktraces(ctx, r)
	}
	profile, err := p.find(r.Header(), r.Msg.ProfileTypeID, r.Msg.LabelSelector, r.Msg.Start, r.Msg.End)
	if err != nil {
		return nil, err
	}
	if r.Msg.Format != querierv1.ProfileFormat_PROFILE_FORMAT_PPROF {
		return nil, connect.NewError(connect.CodeInvalidArgument, errors.New("another format was asked for"))
	}
	return connect.NewResponse(&querierv1.SelectMergeStacktracesResponse{
		Pprof: &querierv1.PprofProfile{Profile: profile},
	}), nil
}

func (p *pyroscope) SelectMergeProfile(_ context.Context, r *connect.Request[querierv1.SelectMergeProfileRequest]) (*connect.Response[googlev1.Profile], error) {
	profile, err := p.find(r.Header(), r.Msg.ProfileTypeID, r.Msg.LabelSelector, r.Msg.Start, r.Msg.End)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(profile), nil
}

// parcaServer is a query service as Parca serves it: gRPC, and gRPC-Web by a wrapper around it.
type parcaServer struct {
	parca.UnimplementedQueryServiceServer
	root string
}

func (p *parcaServer) Query(ctx context.Context, r *parca.QueryRequest) (*parca.QueryResponse, error) {
	told, _ := metadata.FromIncomingContext(ctx)
	if got := told.Get("authorization"); len(got) != 1 || got[0] != "Bearer "+os.Getenv("STORE_TOKEN") {
		return nil, status.Error(codes.Unauthenticated, "who are you?")
	}
	merge := r.GetMerge()
	if r.Mode != parca.QueryRequest_MODE_MERGE || r.ReportType != parca.QueryRequest_REPORT_TYPE_PPROF || merge == nil {
		return nil, status.Error(codes.InvalidArgument, "a merge as pprof is expected")
	}
	if !strings.HasPrefix(merge.Query, "process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta{") {
		return nil, status.Error(codes.InvalidArgument, "unknown type")
	}
	start := merge.Start.AsTime().UnixMilli()
	if merge.End.AsTime().UnixMilli() <= start {
		return nil, status.Error(codes.InvalidArgument, "start timestamp must be before end")
	}
	found := files(p.root, merge.Query, start)
	if found == nil {
		return nil, status.Error(codes.NotFound, "could not find profile at requested time and selectors")
	}
	return &parca.QueryResponse{Report: &parca.QueryResponse_Pprof{Pprof: found}}, nil
}

func serve(root, addressFile string, lifetime time.Duration) error {
	mux := http.NewServeMux()
	for prefix, isOld := range map[string]bool{"/new": false, "/old": true} {
		path, handler := querierv1connect.NewQuerierServiceHandler(&pyroscope{root: root, isOld: isOld})
		mux.Handle(prefix+path, http.StripPrefix(prefix, handler))
	}
	grpcServer := grpc.NewServer()
	parca.RegisterQueryServiceServer(grpcServer, &parcaServer{root: root})
	mux.Handle("/parca.query.v1alpha1.QueryService/", grpcweb.WrapServer(grpcServer))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	time.AfterFunc(lifetime, func() { os.Exit(0) })
	if err := os.WriteFile(addressFile, []byte("http://"+listener.Addr().String()), 0o600); err != nil {
		return err
	}
	return http.Serve(listener, mux)
}

func main() {
	seconds := 0
	if len(os.Args) == 4 {
		seconds, _ = strconv.Atoi(os.Args[3])
	}
	if seconds <= 0 {
		fmt.Fprintln(os.Stderr, "usage: stores FIXTURES ADDRESS-FILE SECONDS")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Args[2], time.Duration(seconds)*time.Second); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
