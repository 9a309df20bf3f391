module example.com/pprofgate/firsthour/load

go 1.25
