[playlist]
File2=b
File1=a
Title1=t
NumberOfEntries=2
