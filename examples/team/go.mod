module example.com/team/shop

go 1.21
