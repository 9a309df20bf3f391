module example.com/pprofgate/service

go 1.26
