module example.com/pprofgate/firsthour

go 1.25
